// In another process: a call that blocks it would also block this test.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createHangingDisk } from '../../kit/disk.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { ROOT } from '../../kit/root.ts'

const MODULE = join(ROOT, 'src/platform/files/file-changes.ts')

test('a network disk that does not reply delays only requests that need its files', async (t) => {
  const disk = await createHangingDisk(t)
  if (!disk.hang()) return
  const local = await temporaryFolder(t)
  await symlink(join(disk.folder, 'list.txt'), join(local, 'list.txt'))
  const many = Array.from({ length: 1000 }, (_, index) => `${index}.webp`)
  for (const [folder, names] of [
    [disk.folder, many],
    [local, ['list.txt']],
  ] as const) {
    const program = `
      const { statFiles } = await import(${JSON.stringify(MODULE)})
      void statFiles(${JSON.stringify(folder)}, ${JSON.stringify(names)}, (found) => found)
      setTimeout(() => { console.log('works'); process.kill(process.pid, 'SIGKILL') }, 200)`
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      timeout: 10_000,
      killSignal: 'SIGKILL',
      encoding: 'utf8',
    })
    assert.equal(stdout, 'works\n')
  }
})
