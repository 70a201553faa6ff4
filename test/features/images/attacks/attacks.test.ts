// Plays every attack through the service. `measure.ts` plays them at the default limits and shows what each of them costs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { listProcesses, readCpuMs, readMegabytes } from '../../../../bench/process-usage.ts'
import { blackPng } from '../../../kit/broken-pictures.ts'
import { startPictureSource } from '../../../kit/picture-source.ts'
import { spawnService } from '../../../kit/service-process.ts'
import { until } from '../../../kit/until.ts'
import { attacksByFormat } from './index.ts'

const SIDE = 600
const ATTACKER = '192.0.2.1'
const BYSTANDER = '198.51.100.1'
/** Attacks at the same time. */
const CONCURRENCY = 4
/** Buffers of files that are not freed yet, and memory that the allocator keeps. It does not grow with further rounds. */
const MAX_GROWN_MEGABYTES = 250

test('hostile files end with their own error, delay nobody else, and leave nothing behind', async (t) => {
  const source = await startPictureSource(t)
  const service = await spawnService(t, {
    FILTER_ALLOW_HOSTS: source.host,
    FILTER_MAX_PIXELS: '4000000',
    FILTER_CACHE_BYTES: '1',
    FILTER_STORE_CACHE_BYTES: '0',
    TRUST_PROXY: 'loopback',
  })
  const url = await service.opened
  const request = async (path: string, client: string) => {
    const startedAt = performance.now()
    const response = await fetch(url + path, { headers: { 'x-forwarded-for': client } })
    const body = await response.text()
    return { status: response.status, body, ms: performance.now() - startedAt }
  }
  const requestFilter = (image: string, client: string) =>
    request(`/api/v1/filter/invert?image=${encodeURIComponent(image)}`, client)

  let small = 0
  const requestSmall = () => {
    const body = blackPng(8, 8)
    return requestFilter(source.put(`/small-${small++}`, { type: 'image/png', body }), BYSTANDER)
  }
  const rows = Object.entries(attacksByFormat).flatMap(([format, attacks]) =>
    attacks.map((attack) => ({ ...attack, name: `${format}: ${attack.name}` })),
  )
  const files: string[] = []
  for (const { name, build } of rows)
    files.push(source.put(`/${encodeURIComponent(name)}`, { type: '', body: await build(SIDE) }))

  // Includes the start of a process. Under load, everything takes longer.
  const usual = await requestSmall()
  const patienceMs = Math.max(2000, 10 * usual.ms)
  const megabytesBefore = readMegabytes(service.pid)
  const wrong: string[] = []
  let next = 0
  const attack = async () => {
    for (let nth = next++; nth < rows.length; nth = next++) {
      const { name, status, problem = '' } = rows[nth]!
      const reply = await requestFilter(files[nth]!, ATTACKER)
      const isExpected = reply.status === status && reply.body.includes(problem)
      if (!isExpected) wrong.push(`${name}: ${reply.status} ${reply.body.slice(0, 200)}`)
    }
  }
  const attacking = Promise.all(Array.from({ length: CONCURRENCY }, attack)).then(() => 'over')
  const slow: number[] = []
  let served = 0
  while ((await Promise.race([attacking, Promise.resolve()])) !== 'over') {
    for (const reply of [await request('/api/v1/version', BYSTANDER), await requestSmall()]) {
      assert.equal(reply.status, 200)
      if (reply.ms > patienceMs) slow.push(reply.ms)
      served++
    }
    // Leaves the processor to the attacks.
    await sleep(50)
  }
  assert.deepEqual(slow, [])
  assert.ok(served > 10)
  assert.deepEqual(wrong, [])

  const [endedAt, cpuMsBefore] = [performance.now(), readCpuMs(service.pid)]
  await until(() => listProcesses(service.pid).length === 1, 30_000)
  const cpuShare = (readCpuMs(service.pid) - cpuMsBefore) / (performance.now() - endedAt)
  assert.ok(cpuShare < 0.2, `${cpuShare} of a core without work`)
  const grown = readMegabytes(service.pid) - megabytesBefore
  assert.ok(grown < MAX_GROWN_MEGABYTES, `${grown} MB more than before`)
  assert.equal((await requestSmall()).status, 200)
})
