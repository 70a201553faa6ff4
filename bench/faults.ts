// Causes one fault after the other under load, with real processes, disks and a real Redis, and prints what clients and
// the operator notice. `npm run bench -- faults redis` runs the faults whose group or name contains the word.
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../test/kit/until.ts'
import { type Fault, faults } from './faults/list.ts'
import { startClients, startServiceUnderTest } from './faults/service-under-test.ts'
import { bench } from './harness.ts'

const WARM_UP_REQUESTS = 60
const FAULT_MS = 1500
const TIMEOUT_MS = 40_000

const formatSeconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

async function measure(fault: Fault) {
  const cleanups: (() => Promise<void> | void)[] = []
  try {
    const target = await startServiceUnderTest({ after: (work) => void cleanups.unshift(work) }, fault)
    const clients = startClients(target)
    await until(() => clients.outcome.requests > WARM_UP_REQUESTS, TIMEOUT_MS)

    const beganAt = performance.now()
    let reportedMs: number | undefined
    const watching = fault.reported && until(async () => fault.reported!.test(await target.readReports()), TIMEOUT_MS)
    const recordReport = () => {
      reportedMs = performance.now() - beganAt
    }
    const reporting = watching?.then(recordReport, () => {})
    await fault.begin(target)
    await sleep(FAULT_MS)
    await reporting
    const endedAt = performance.now()
    await fault.end?.(target)
    await until(async () => (await target.isHealthy()) && ((await fault.healed?.(target)) ?? true), TIMEOUT_MS)
    const healedMs = performance.now() - endedAt
    await sleep(500)

    const { requests, acknowledged, unknown, failed } = await clients.stop()
    let counted = 0
    const isComplete = async () => {
      counted = await target.countDownloads().catch(() => 0)
      return counted >= acknowledged
    }
    await until(isComplete, TIMEOUT_MS).catch(() => {})
    const errors = [...failed].filter(([reason]) => !fault.allowed?.test(reason))
    const [lost, extra] = [Math.max(0, acknowledged - counted), Math.max(0, counted - acknowledged - unknown)]
    const isReported = fault.reported === undefined || reportedMs !== undefined
    return {
      ok: errors.length === 0 && lost === 0 && extra === 0 && isReported,
      cells: [
        [...failed].map(([reason, count]) => `${count} × ${reason}`).join(', ') || '0',
        `${requests}`,
        `${lost} of ${acknowledged}${extra > 0 ? `, ${extra} twice` : ''}`,
        formatSeconds(healedMs),
        fault.reported === undefined ? 'not needed' : reportedMs === undefined ? 'NO' : formatSeconds(reportedMs),
      ],
    }
  } catch (error) {
    return { ok: false, cells: [(error as Error).message.replaceAll(/\s+/g, ' ').slice(0, 200), '', '', '', ''] }
  } finally {
    for (const cleanup of cleanups) await cleanup()
  }
}

await bench(async () => {
  const word = process.argv[3]?.toLowerCase() ?? ''
  const chosen = faults.filter(({ group, name }) => `${group} ${name}`.toLowerCase().includes(word))
  console.log('| fault | errors of clients | requests | counts lost | recovered in | reported after | good |')
  console.log('|---|---|---:|---:|---:|---:|---|')
  let good = 0
  for (const fault of chosen) {
    const { ok, cells } = await measure(fault)
    good += Number(ok)
    console.log(`| ${fault.group}: ${fault.name} | ${cells.join(' | ')} | ${ok ? 'yes' : 'NO'} |`)
  }
  console.log(`\n${good} of ${chosen.length} rows are good.`)
  if (good < chosen.length) process.exitCode = 1
})
