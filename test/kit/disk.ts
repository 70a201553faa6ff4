import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

type Test = { after(work: () => Promise<void> | void): void; skip(why: string): void }

/**
 * Mounts a small disk that can be filled or made read-only, with ext4 if it has `blockBytes`. With inodes of 128 bytes,
 * its times are whole seconds. Skips the test without the permission to mount.
 */
export async function mountSmallDisk(t: Test, bytes: number, blockBytes?: number, inodeBytes = 256) {
  const folder = await mkdtemp(join(tmpdir(), 'menagerie-disk-'))
  const image = `${folder}.img`
  if (blockBytes !== undefined) {
    await writeFile(image, Buffer.alloc(bytes))
    spawnSync('mkfs.ext4', ['-q', '-m', '0', '-b', `${blockBytes}`, '-I', `${inodeBytes}`, image])
  }
  const disk = blockBytes === undefined ? ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs'] : ['-o', 'loop', image]
  const mounted = spawnSync('mount', [...disk, folder])
  t.after(async () => {
    if (mounted.status === 0) spawnSync('umount', ['--lazy', folder])
    // A service that still runs creates its folder again. An error would skip all other cleanups, and nothing would end it.
    await Promise.allSettled([folder, image].map((path) => rm(path, { recursive: true, force: true })))
  })
  if (mounted.status !== 0) {
    t.skip('needs the permission to mount a disk')
    return undefined
  }
  const remount = (option: 'ro' | 'rw') => {
    const { status, stderr } = spawnSync('mount', ['-o', `remount,${option}`, folder])
    if (status !== 0) throw new Error(String(stderr))
  }
  return { folder, makeReadOnly: () => remount('ro'), makeWritable: () => remount('rw') }
}

/** A folder in whose place `hang` mounts a disk whose server never replies. Skips the test without the permission to mount. */
export async function createHangingDisk(t: Test) {
  const folder = await mkdtemp(join(tmpdir(), 'menagerie-disk-'))
  let server: number | undefined
  t.after(async () => {
    // Ends the calls that wait.
    if (server !== undefined) closeSync(server)
    spawnSync('umount', ['--lazy', folder])
    await rm(folder, { recursive: true, force: true })
  })
  const hang = (): boolean => {
    server = existsSync('/dev/fuse') ? openSync('/dev/fuse', 'r+') : undefined
    const options = ['-i', '-t', 'fuse', '-o', 'fd=3,rootmode=40000,user_id=0,group_id=0', 'hanging', folder]
    const { status } = spawnSync('mount', options, { stdio: ['ignore', 'ignore', 'ignore', server ?? 'ignore'] })
    if (status !== 0) t.skip('needs the permission to mount a disk')
    return status === 0
  }
  return { folder, hang }
}
