// Compares one worker with two workers on one Redis: requests per second, and how the CPU time was spent. The load
// generator runs on the same machine, so its share of the CPU time is printed too.
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { startRedis } from '../test/kit/redis.ts'
import { bench, benchScope, type Contender, childPid, compare, printTable, startMenagerie } from './harness.ts'
import { readCpuMs } from './process-usage.ts'

const PATHS = ['/api/v1/version', '/api/v1/animals/cat']
const LOAD = { rounds: 5, seconds: 3, connections: 64 }

const readCpuSeconds = (pid: number) => readCpuMs(pid) / 1000

/** CPU seconds of wrk: Linux adds the time of ended child processes to their parent, which is this process. */
const readLoadSeconds = () => {
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
    .map(Number)
  return ((fields[13] ?? 0) + (fields[14] ?? 0)) / 100
}

await bench(async () => {
  const { url: storeUrl } = await startRedis(benchScope)
  const urls = await Promise.all(['1', '2'].map((WORKERS) => startMenagerie({ WORKERS, STORE_URL: storeUrl })))
  for (const path of PATHS) {
    const contenders = urls.map((url, index): Contender => ({ name: `${index + 1} worker(s)`, url: url + path }))
    const before = { served: urls.map((url) => readCpuSeconds(childPid(url))), load: readLoadSeconds() }
    const measured = compare(contenders, LOAD)
    printTable(`GET ${path}`, measured)
    const served = urls.map((url, index) => readCpuSeconds(childPid(url)) - (before.served[index] ?? 0))
    const load = readLoadSeconds() - before.load
    const all = served.reduce((sum, seconds) => sum + seconds, load)
    const [one, two, generator] = [...served, load].map((seconds) => `${Math.round((100 * seconds) / all)} %`)
    console.log(
      `\nShares of the CPU time on ${availableParallelism()} cores: 1 worker ${one}, 2 workers ${two}, load generator ${generator}.`,
    )
    const [forOne = 0, forTwo = 0] = measured.map(({ perSecond }, index) => perSecond / (served[index] ?? 1))
    console.log(
      `Replies per CPU second, two workers compared with one: ${(forTwo / forOne).toFixed(2)}. ` +
        `Expected throughput ratio if each worker has a core: ${(2 * (forTwo / forOne)).toFixed(2)}.`,
    )
  }
  console.log('\nGoal: 1.8 on at least three cores (two for the workers, one for the load generator).')
})
