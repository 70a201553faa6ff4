import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  fetchedListFile,
  listFetcherOptions,
  scheduleUpdates,
  updateBlocklist,
} from '../../../src/features/blocklist/index.ts'
import { createFetcher } from '../../../src/platform/net/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { rememberingLog } from '../../kit/log.ts'
import { startSource } from '../../kit/source.ts'
import { until } from '../../kit/until.ts'

async function openSchedule(t: TestContext) {
  const target = fetchedListFile(await temporaryFolder(t))
  const state = { status: 200, text: 'one.example\n', asked: 0 }
  const { url } = await startSource(t, (_, response) => {
    state.asked += 1
    response.writeHead(state.status).end(state.text)
  })
  const fetcher = createFetcher(listFetcherOptions(url()))
  t.after(() => fetcher.close())
  const options = { target, source: url(), fetcher, log: rememberingLog() }
  const start = (everyMs: number) => {
    const schedule = scheduleUpdates({ ...options, everyMs })
    t.after(() => schedule.stop())
    return schedule
  }
  return { target, state, options, start, text: () => readFile(target, 'utf8') }
}

test('a list that is not there is fetched at once, and again time after time', async (t) => {
  const { state, start, text } = await openSchedule(t)
  start(100)
  await until(async () => (await text().catch(() => '')) === 'one.example\n')
  state.text = 'two.example\n'
  await until(async () => (await text()) === 'two.example\n')
})

test('a list that was checked lately waits for its time', async (t) => {
  const { state, options, start } = await openSchedule(t)
  await updateBlocklist(options)
  start(60_000)
  await sleep(150)
  assert.equal(state.asked, 1)
})

test('a failure keeps the list, is told, and is tried again sooner', async (t) => {
  const { state, options, start, text } = await openSchedule(t)
  state.status = 500
  const everyMs = 8000
  const begun = performance.now()
  const schedule = start(everyMs)
  await until(() => state.asked >= 2)
  assert.ok(performance.now() - begun < everyMs / 2)
  assert.match(schedule.problem() ?? '', /not updated: the source answered with status 500/)
  assert.equal(options.log.lines[0]?.level, 'warn')
  await assert.rejects(text())
  state.status = 200
  await until(() => schedule.problem() === undefined)
  assert.equal(await text(), 'one.example\n')
})

test('a schedule that was stopped asks no more', async (t) => {
  const { state, start } = await openSchedule(t)
  const schedule = start(20)
  await until(() => state.asked >= 2)
  schedule.stop()
  await sleep(50)
  const asked = state.asked
  await sleep(100)
  assert.equal(state.asked, asked)
})
