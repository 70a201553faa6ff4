import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { mountSmallDisk } from '../../kit/disk.ts'
import { ROOT } from '../../kit/root.ts'

const LOGGING = join(ROOT, 'src', 'platform', 'logging', 'index.ts')

/** Logs on a full disk, then exits. */
const program = (dir: string, end: string) => `
  const { openLogging } = await import(${JSON.stringify(LOGGING)})
  const logging = openLogging({ dir: ${JSON.stringify(dir)}, level: 'info', fileBytes: 65536, files: 3, hiddenFolders: [] })
  const wait = () => new Promise((resolve) => setTimeout(resolve, 20))
  do {
    logging.log.info({ filler: 'x'.repeat(1000) }, 'hello')
    await wait()
  } while (logging.problem() === undefined)
  logging.log.error({}, 'the last line')
  ${end}
`

for (const [what, end, code] of [
  ['a crash', 'logging.flush(); process.exit(1)', 1],
  ['a clean stop', 'await logging.close()', 0],
] as const) {
  test(`${what} ends even if the disk of the log is full`, async (t) => {
    const disk = await mountSmallDisk(t, 256 * 1024)
    if (!disk) return
    await writeFile(join(disk.folder, 'filler'), Buffer.alloc(1024 * 1024)).catch(() => {})
    const args = ['--input-type=module', '-e', program(disk.folder, end)]
    const { status, signal, stderr } = spawnSync(process.execPath, args, { timeout: 20_000, encoding: 'utf8' })
    assert.deepEqual([status, signal], [code, null], stderr)
  })
}
