// One worker against two, on one Redis: replies a second, and how the processor time was spent. The load generator takes cores
// of the same machine: its share is printed, because two workers cannot have what it uses.
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { bench, type Contender, childPid, compare, printTable, startMenagerie } from './harness.ts'
import { startBenchRedis } from './redis.ts'

const PATHS = ['/api/v1/version', '/api/v1/animals/cat']
const LOAD = { rounds: 5, seconds: 3, connections: 64 }

/** Processor seconds of a process and its children that still run. */
function secondsOf(pid: number): number {
  const [, , , , , , , , , , , user = 0, system = 0] = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
    .map(Number)
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
  return (user + system) / 100 + children.reduce((sum, child) => sum + secondsOf(Number(child)), 0)
}

/** Of wrk: processes that have ended and been waited for are counted with their parent, which is us. */
const loadSeconds = () => {
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
    .map(Number)
  return ((fields[13] ?? 0) + (fields[14] ?? 0)) / 100
}

await bench(async () => {
  const store = await startBenchRedis()
  const urls = await Promise.all(['1', '2'].map((WORKERS) => startMenagerie({ WORKERS, STORE_URL: store })))
  for (const path of PATHS) {
    const contenders = urls.map((url, index): Contender => ({ name: `${index + 1} worker(s)`, url: url + path }))
    const before = { served: urls.map((url) => secondsOf(childPid(url))), load: loadSeconds() }
    const measured = compare(contenders, LOAD)
    printTable(`GET ${path}`, measured)
    const served = urls.map((url, index) => secondsOf(childPid(url)) - (before.served[index] ?? 0))
    const load = loadSeconds() - before.load
    const all = served.reduce((sum, seconds) => sum + seconds, load)
    const [one, two, generator] = [...served, load].map((seconds) => `${Math.round((100 * seconds) / all)} %`)
    console.log(
      `\nOf the processor time, on ${availableParallelism()} cores: 1 worker ${one}, 2 workers ${two}, load generator ${generator}.`,
    )
    const [forOne = 0, forTwo = 0] = measured.map(({ perSecond }, index) => perSecond / (served[index] ?? 1))
    console.log(
      `A processor second of two workers gives ${(forTwo / forOne).toFixed(2)} of the replies that one of one worker gives: ` +
        `${(2 * (forTwo / forOne)).toFixed(2)} times as many where each has a core.`,
    )
  }
  console.log('\nGoal: 1.8 where cores allow, which means three at least: two for workers and one for the load.')
})
