// Each filter of the engine compared with sharp alone on the same JPEG, and with Jimp. Everything is measured in turns in
// one run, and every number is the median of its rounds. There are two baselines: sharp with its defaults, and sharp with
// the settings of the engine, which are faster. Sharp alone decodes and encodes at the same time on two cores, the engine
// one after the other: on an idle machine its ratio in elapsed time is therefore larger than in CPU time.
import { readFileSync } from 'node:fs'
import process from 'node:process'
import Jimp from 'jimp'
import sharp from 'sharp'
import { readConfig } from '../../src/config/config.ts'
import { KERNELS_FILE } from '../../src/config/root.ts'
import { createKernels, filters, findFilter } from '../../src/features/filters/index.ts'
import { createEngine, planMemory } from '../../src/features/images/index.ts'
import { countBuffersAsHeap } from '../../src/platform/concurrency/index.ts'
import { createPhotograph } from '../../test/kit/frames.ts'
import { median } from '../harness.ts'
import { readCpuMs } from '../process-usage.ts'

const ROUNDS = 5
const sizes: [number, number][] = [
  [640, 480],
  [1920, 1080],
  [4000, 3000],
]
const goals: Record<string, number> = { blur: 2 }
const GOAL = 1.5
const JIMP_GOAL = 15

// As in the service.
countBuffersAsHeap()

const log = { info() {}, warn: console.warn, error: console.error }
const limits = { maxPixels: 40_000_000, maxFrames: 500, decodeTimeoutMs: 10_000, maxQueued: 100 }
// As built: TypeScript sources take longer to start.
const program = new URL('../../dist/features-images-image-process.js', import.meta.url)
const engine = createEngine({ ...planMemory(readConfig({})).engine, ...limits, log, program })

const createJob = (bytes: Buffer, { name: filter, strength }: { name: string; strength?: number | undefined }) => ({
  bytes,
  steps: [{ filter, strength }],
  resize: undefined,
  maxBytes: undefined,
  output: undefined,
})

type Task = () => Promise<unknown>
/** Milliseconds: elapsed time, and CPU time of all processes. */
type Cost = { wall: number; cpu: number }

/** The system counts CPU time in steps of 10 ms: a measurement must take much longer. */
const MIN_MEASURED_MS = 400

/** Measures the tasks in turns and returns the median cost of each. */
async function measureMedians<Name extends string>(
  tasks: Record<Name, Task>,
  rounds: number,
): Promise<Record<Name, Cost>> {
  const names = Object.keys(tasks) as Name[]
  async function measure(task: Task, times: number): Promise<Cost> {
    const [cpuBefore, startedAt] = [readCpuMs(process.pid), performance.now()]
    for (let nth = 0; nth < times; nth++) await task()
    const wall = (performance.now() - startedAt) / times
    return { wall, cpu: (readCpuMs(process.pid) - cpuBefore) / times }
  }
  const times = new Map<Name, number>()
  for (const name of names) times.set(name, Math.ceil(MIN_MEASURED_MS / (await measure(tasks[name], 2)).wall))
  const costs = names.map((): Cost[] => [])
  for (let round = 0; round < rounds; round++) {
    for (const [index, name] of names.entries()) costs[index]!.push(await measure(tasks[name], times.get(name)!))
  }
  const toMedian = (list: Cost[]) => ({
    wall: median(list.map(({ wall }) => wall)),
    cpu: median(list.map(({ cpu }) => cpu)),
  })
  return Object.fromEntries(names.map((name, index) => [name, toMedian(costs[index]!)])) as Record<Name, Cost>
}

const runs = filters.flatMap(({ name }) =>
  (name === 'blur' ? [1, 5, 50, 256] : [undefined]).map((strength) => ({ name, strength })),
)
const describeRun = ({ name, strength }: { name: string; strength?: number }) =>
  strength ? `${name} ${strength}` : name

const createJpeg = (width: number, height: number) =>
  sharp(createPhotograph(width, height).data, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 90 })
    .toBuffer()

const round = (value: number) => Number(value.toFixed(2))

async function compareWithSharp(width: number, height: number) {
  const bytes = await createJpeg(width, height)
  const tasks: Record<string, Task> = {
    same: () => sharp(bytes).jpeg({ quality: 85, optimiseCoding: false }).toBuffer(),
    defaults: () => sharp(bytes).jpeg().toBuffer(),
  }
  for (const run of runs) {
    tasks[describeRun(run)] = () => engine.process(createJob(bytes, run))
  }
  const costs = await measureMedians(tasks, ROUNDS)
  const same = costs.same!
  return runs.map((run) => {
    const cost = costs[describeRun(run)]!
    const goal = goals[run.name] ?? GOAL
    const describeRatio = (ratio: number) => `${ratio.toFixed(2)} (goal ${goal}: ${ratio <= goal ? 'met' : 'MISSED'})`
    return {
      size: `${width}x${height}`,
      filter: describeRun(run),
      ms: Math.round(cost.wall),
      'time / sharp with defaults': describeRatio(cost.wall / costs.defaults!.wall),
      'time / sharp with same settings': describeRatio(cost.wall / same.wall),
      'CPU time / sharp with defaults': round(cost.cpu / costs.defaults!.cpu),
      'CPU time / sharp with same settings': round(cost.cpu / same.cpu),
    }
  })
}

async function compareWithJimp() {
  const bytes = await createJpeg(1920, 1080)
  const jimpFilters: Record<string, (picture: Jimp) => unknown> = {
    blur: (picture) => picture.blur(5),
    greyscale: (picture) => picture.greyscale(),
    contrast: (picture) => picture.contrast(0.1),
    invert: (picture) => picture.invert(),
    dither565: (picture) => picture.dither565(),
    normalize: (picture) => picture.normalize(),
  }
  const rows = []
  for (const { name } of filters) {
    const { ours, jimp } = await measureMedians(
      {
        ours: () => engine.process(createJob(bytes, { name })),
        jimp: async () => {
          const picture = await Jimp.read(bytes)
          jimpFilters[name]!(picture)
          await picture.quality(85).getBufferAsync(Jimp.MIME_JPEG)
        },
      },
      3,
    )
    const speedup = round(jimp.wall / ours.wall)
    rows.push({
      filter: name,
      'Jimp ms': Math.round(jimp.wall),
      'Jimp ms / ours': speedup,
      [`goal: at least ${JIMP_GOAL}`]: speedup >= JIMP_GOAL ? 'met' : 'MISSED',
    })
  }
  return rows
}

/** CPU time of the filters alone in milliseconds. */
async function measureFilters() {
  const kernels = createKernels(readFileSync(KERNELS_FILE))
  const rows = []
  for (const [width, height] of sizes) {
    const { data, channels } = createPhotograph(width, height)
    const tasks = runs.map(({ name, strength }): [string, Task] => {
      const filter = findFilter(name)!
      const usedStrength = strength ?? filter.strength?.default ?? 0
      return [
        describeRun({ name, strength }),
        async () => filter.apply({ data, width, height, channels }, kernels, usedStrength),
      ]
    })
    const costs = await measureMedians(Object.fromEntries(tasks), ROUNDS)
    const list = Object.entries(costs).map(([name, { cpu }]) => [name, round(cpu)])
    rows.push({ size: `${width}x${height}`, ...Object.fromEntries(list) })
  }
  return rows
}

/** A chain decodes and encodes only once. For a smaller result, the source is decoded at a reduced size. */
async function compareComposed() {
  const [usual, large] = [await createJpeg(1920, 1080), await createJpeg(4000, 3000)]
  const chain = ['greyscale', 'contrast', 'invert', 'normalize'].map((filter) => ({ filter, strength: undefined }))
  const resize = { width: 512, height: undefined, fit: 'inside' } as const
  const invert = { name: 'invert' }
  const costs = await measureMedians(
    {
      one: () => engine.process(createJob(usual, invert)),
      chain: () => engine.process({ ...createJob(usual, invert), steps: chain }),
      whole: () => engine.process(createJob(large, invert)),
      resized: () => engine.process({ ...createJob(large, invert), resize }),
    },
    ROUNDS,
  )
  const compare = (name: string, cost: Cost, baseline: Cost, goal: number) => {
    const ratio = cost.cpu / baseline.cpu
    return { name, 'CPU time / baseline': round(ratio), goal: `${goal}: ${ratio <= goal ? 'met' : 'MISSED'}` }
  }
  return [
    compare('a chain of four filters, compared with one', costs.chain, costs.one, 1.35),
    compare('4000x3000 resized to a width of 512 pixels, compared with the full size', costs.resized, costs.whole, 0.5),
  ]
}

for (const [width, height] of sizes) console.table(await compareWithSharp(width, height))
console.log('CPU time of the filters alone, ms')
console.table(await measureFilters())
console.table(await compareComposed())
console.log('1920x1080, compared with Jimp')
console.table(await compareWithJimp())
await engine.close()
