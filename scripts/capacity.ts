// The capacity model of docs/scaling.md. `node scripts/menagerie.mjs --script scripts/capacity.ts --users 250000` works it out
// with your own numbers; every input below is a flag.
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'

/** `from`: "measured" stands for a figure in docs/benchmarks.md, "assumed" for a guess to be replaced by your own. */
export const inputs = {
  requestsADay: { value: 40, from: 'assumed', unit: 'requests', what: 'of one user on a day' },
  peak: { value: 4, from: 'assumed', unit: 'times', what: 'the busiest second against the mean one' },
  pictureShare: { value: 0.3, from: 'assumed', unit: 'of requests', what: 'are pictures (`/media/…`)' },
  filterShare: { value: 0.03, from: 'assumed', unit: 'of requests', what: 'are filters' },
  keptShare: { value: 0.2, from: 'assumed', unit: 'of requests', what: 'are v5 and pages, which a CDN may keep' },
  pictureHits: { value: 0.9, from: 'assumed', unit: 'of them', what: 'pictures that the CDN answers' },
  filterHits: { value: 0.5, from: 'assumed', unit: 'of them', what: 'filtered images that the CDN answers' },
  keptHits: { value: 0.95, from: 'assumed', unit: 'of them', what: 'v5 and pages that the CDN answers' },
  sharedHits: {
    value: 0.4,
    from: 'assumed',
    unit: 'of the rest',
    what: 'filtered images that some node has made already',
  },
  repliesACore: { value: 17_095, from: 'measured', unit: 'requests/s', what: '`/api/v1/animals/cat` of one process' },
  filterSeconds: {
    value: 0.06,
    from: 'measured',
    unit: 'core-seconds',
    what: 'one filter of a 1920x1080 picture, fetch and all',
  },
  load: {
    value: 0.5,
    from: 'assumed',
    unit: 'of a core',
    what: 'used at the peak; the rest is for bursts and a lost node',
  },
  coresANode: { value: 4, from: 'assumed', unit: 'cores', what: 'of one node' },
  replyBytes: { value: 1_000, from: 'assumed', unit: 'bytes', what: 'a small reply with its headers' },
  pictureBytes: { value: 60_000, from: 'assumed', unit: 'bytes', what: 'a picture' },
  filterBytes: { value: 250_000, from: 'assumed', unit: 'bytes', what: 'a filtered image' },
  storeCalls: { value: 1, from: 'assumed', unit: 'calls', what: 'to Redis for each request that reaches a node' },
  coreCost: { value: 10, from: 'assumed', unit: 'money', what: 'a core for a month' },
  gigabyteCost: { value: 0.02, from: 'assumed', unit: 'money', what: 'a gigabyte to the world' },
} as const satisfies Record<string, { value: number; from: 'measured' | 'assumed'; unit: string; what: string }>

export type Inputs = { [Name in keyof typeof inputs]: number }

export const defaults = Object.fromEntries(Object.entries(inputs).map(([name, { value }]) => [name, value])) as Inputs

const DAY = 86_400
const MONTH = 30

/** What so many daily users come to. */
export function capacityOf(users: number, given: Inputs) {
  const peak = (users * given.requestsADay * given.peak) / DAY
  const month = users * given.requestsADay * MONTH
  const { pictureShare, filterShare, keptShare } = given
  const cheapShare = 1 - pictureShare - filterShare - keptShare

  const filters = peak * filterShare * (1 - given.filterHits)
  const cheap = peak * (cheapShare + pictureShare * (1 - given.pictureHits) + keptShare * (1 - given.keptHits))
  const replyCores = (cheap + filters) / given.repliesACore / given.load
  const filterCores = (filters * (1 - given.sharedHits) * given.filterSeconds) / given.load
  // One more than needed: a node may be lost, or be restarted, at the peak.
  const nodes = Math.ceil((replyCores + filterCores) / given.coresANode) + 1
  const bytes =
    month *
    (pictureShare * given.pictureBytes +
      filterShare * given.filterBytes +
      (1 - pictureShare - filterShare) * given.replyBytes)
  const gigabytes = bytes / 1e9
  return {
    peak,
    origin: cheap + filters,
    storeCalls: (cheap + filters) * given.storeCalls,
    replyCores,
    filterCores,
    nodes,
    gigabytes,
    cost: nodes * given.coresANode * given.coreCost + gigabytes * given.gigabyteCost,
  }
}

const round = (value: number) =>
  (value >= 10 ? Math.round(value) : Number(value.toPrecision(2))).toLocaleString('en-US', { maximumFractionDigits: 3 })

const ROWS: readonly (readonly [keyof ReturnType<typeof capacityOf>, string])[] = [
  ['peak', 'requests/s at the peak'],
  ['origin', 'of these at the nodes, behind the CDN'],
  ['storeCalls', 'calls/s to Redis'],
  ['replyCores', 'cores for replies'],
  ['filterCores', 'cores for filters'],
  ['nodes', 'nodes, one to spare'],
  ['gigabytes', 'gigabytes a month to the world'],
  ['cost', 'cost a month'],
]

export function capacityTable(users: readonly number[], given: Inputs = defaults): string {
  const columns = users.map((count) => capacityOf(count, given))
  const head = ['daily users', ...users.map((count) => count.toLocaleString('en-US'))]
  const rows = ROWS.map(([name, label]) => [label, ...columns.map((column) => round(column[name]))])
  return [head, ['---', ...users.map(() => '---:')], ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

export const inputTable = () =>
  [
    ['input', 'value', 'unit', 'meaning', 'from'],
    ['---', '---:', '---', '---', '---'],
    ...Object.entries(inputs).map(([name, { value, unit, what, from }]) => [
      `\`${name}\``,
      round(value),
      unit,
      what,
      from,
    ]),
  ]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')

const flagOf = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

class WrongUse extends Error {}

const names = Object.keys(inputs) as (keyof Inputs)[]
const flags = ['users', ...names.map(flagOf)]

/** The numbers that were given, by their flags. */
function readFlags(words: readonly string[]): Map<string, number> {
  const options = Object.fromEntries(flags.map((flag) => [flag, { type: 'string' as const }]))
  const { tokens } = parseArgs({ args: [...words], options, strict: false, tokens: true })
  return new Map(
    tokens.map((token) => {
      if (token.kind !== 'option') throw new WrongUse('every word must be an option and its number')
      if (!flags.includes(token.name))
        throw new WrongUse(`there is no ${token.rawName}; there are --${flags.join(', --')}`)
      const value = Number(token.value?.trim() || Number.NaN)
      if (!(value >= 0)) throw new WrongUse(`${token.rawName} must be a number that is not negative`)
      return [token.name, value]
    }),
  )
}

function main(words: readonly string[]): void {
  try {
    const given = readFlags(words)
    const own = names.flatMap((name) => (given.has(flagOf(name)) ? [[name, given.get(flagOf(name))]] : []))
    const users = given.has('users') ? [given.get('users') ?? 0] : [1000, 10_000, 100_000, 1_000_000]
    console.log(capacityTable(users, { ...defaults, ...Object.fromEntries(own) }))
  } catch (error) {
    if (!(error instanceof WrongUse)) throw error
    console.error(`capacity: ${error.message}.`)
    process.exitCode = 2
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main(process.argv.slice(2))
