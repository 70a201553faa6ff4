import assert from 'node:assert/strict'
import { readdirSync, readlinkSync } from 'node:fs'
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createDigests } from '../../../src/features/releases/release-files.ts'
import { toFileState } from '../../../src/platform/files/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'

const FILES = 20

function countOpenFiles(folder: string): number {
  const targets = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`)
    } catch {
      return ''
    }
  })
  return targets.filter((target) => target.startsWith(folder)).length
}

test('few files are read at a time, and networks take turns', async (t) => {
  const folder = await temporaryFolder(t)
  const digests = createDigests()
  const { signal } = new AbortController()
  const finished: string[] = []
  const request = async (client: string, name: string) => {
    const path = join(folder, name)
    await writeFile(path, Buffer.alloc(2 ** 20))
    const state = toFileState(await stat(path))
    return () => digests.compute(path, state, { client, signal }).then(() => finished.push(name))
  }
  const requests: (() => Promise<unknown>)[] = []
  for (let n = 0; n < FILES; n++) requests.push(await request(`2001:db8:1:${n}::1`, `a${n}`))
  // In the middle: others request files before and after.
  requests.splice(FILES / 2, 0, await request('192.0.2.1', 'b'))
  const computing = requests.map((start) => start())
  let open = 0
  while (finished.length < requests.length) {
    open = Math.max(open, countOpenFiles(folder))
    await setImmediate()
  }
  await Promise.all(computing)
  assert.equal(open, 2)
  // The first one did not wait.
  assert.ok(finished.indexOf('b') <= 2, String(finished))
})
