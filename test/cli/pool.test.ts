import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { test } from 'node:test'
import { spawnService } from '../kit/process.ts'

test('files never wait for pictures: the pool has more threads than decoders ever take', {
  skip: process.platform === 'linux' ? false : 'only Linux names its threads',
}, async (t) => {
  const { opened, pid } = await spawnService(t)
  await opened
  const threads = await readdir(`/proc/${pid}/task`)
  const names = await Promise.all(threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/comm`, 'utf8')))
  const pool = names.filter((name) => name.trim() === 'libuv-worker')
  assert.equal(pool.length, 2 * (availableParallelism() + 1) + 4)
})
