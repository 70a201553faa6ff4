import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

type Test = { after(work: () => Promise<void> | void): void; skip(why: string): void }

/** Mounts a small disk that can be filled or made read-only. Skips the test without the permission to mount. */
export async function mountSmallDisk(t: Test, bytes: number) {
  const folder = await mkdtemp(join(tmpdir(), 'menagerie-disk-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder])
  t.after(async () => {
    if (mounted.status === 0) spawnSync('umount', ['--lazy', folder])
    await rm(folder, { recursive: true, force: true })
  })
  if (mounted.status !== 0) {
    t.skip('needs the permission to mount a tmpfs')
    return undefined
  }
  const remount = (option: 'ro' | 'rw') => {
    const { status, stderr } = spawnSync('mount', ['-o', `remount,${option}`, folder])
    if (status !== 0) throw new Error(String(stderr))
  }
  return { folder, makeReadOnly: () => remount('ro'), makeWritable: () => remount('rw') }
}
