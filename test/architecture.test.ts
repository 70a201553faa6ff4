// Imports point one way: edges -> rooms -> net, store, files. A room knows of another only its front file.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '..')
const LONGEST_SOURCE = 250

/** What puts rooms and the HTTP edge together. */
const COMPOSERS = [
  'src/main.ts',
  'src/primary.ts',
  'src/rooms.ts',
  'src/own-pictures.ts',
  'src/problems.ts',
  'src/generated.ts',
  'src/measured.ts',
  'src/overview.ts',
  'src/tracing.ts',
]
/** What stands below the rooms; each may use those before it. */
const GROUND = ['logging', 'files', 'net', 'store']

const sources = globSync('src/**/*.ts', { cwd: ROOT }).filter((file) => !file.includes('/kernels/'))

const roomOf = (file: string) => {
  const [, room = '', ...rest] = file.split('/')
  return rest.length > 0 && room !== 'errors' ? room : ''
}

/** Types are gone when the program runs; only values can wait for each other in a circle. */
function importsOf(file: string, valuesOnly = false): string[] {
  const whole = readFileSync(join(ROOT, file), 'utf8')
  const text = valuesOnly ? whole.replace(/(?:import|export) type [^;]*?from '[^']+'/g, '') : whole
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, path = '']) =>
    normalize(join(dirname(file), path)),
  )
}

function fault(from: string, to: string): string | undefined {
  const room = roomOf(from)
  const other = roomOf(to)
  const composes = COMPOSERS.includes(from)
  if (room === other && room !== '') return undefined
  if (COMPOSERS.includes(to)) return composes || room === 'cli' ? undefined : 'only the command line starts the service'
  if (other === '') return undefined
  if (other === 'cli') return 'nothing knows the command line'
  if (other === 'http') return composes ? undefined : 'only composers know HTTP'
  if (room === '' && !composes) return 'settings and errors know no room'
  if (!to.endsWith('/index.ts')) return "a room's insides are its own"
  if (GROUND.includes(room) && !GROUND.includes(other)) return 'the ground knows no room that stands on it'
  return undefined
}

test('imports point one way', () => {
  const faults = sources.flatMap((from) =>
    importsOf(from).flatMap((to) => {
      const why = fault(from, to)
      return why ? [`${from} imports ${to}: ${why}`] : []
    }),
  )
  assert.deepEqual(faults, [])
})

test('the rule itself finds what it must find', () => {
  assert.ok(fault('src/developer/logs.ts', 'src/http/app.ts'))
  assert.ok(fault('src/developer/logs.ts', 'src/blocklist/parse.ts'))
  assert.ok(fault('src/files/watch.ts', 'src/developer/index.ts'))
  assert.ok(fault('src/errors.ts', 'src/developer/index.ts'))
  assert.ok(fault('src/http/app.ts', 'src/cli/main.ts'))
  assert.equal(fault('src/http/app.ts', 'src/developer/index.ts'), undefined)
  assert.equal(fault('src/blocklist/index.ts', 'src/files/index.ts'), undefined)
})

test('no two files import each other in a circle', () => {
  const state = new Map<string, 'open' | 'done'>()
  const visit = (file: string, path: string[]): void => {
    if (state.get(file) === 'done' || !sources.includes(file)) return
    assert.notEqual(state.get(file), 'open', `circle: ${[...path, file].join(' -> ')}`)
    state.set(file, 'open')
    for (const next of importsOf(file, true)) visit(next, [...path, file])
    state.set(file, 'done')
  }
  for (const file of sources) visit(file, [])
})

test('source files are short', () => {
  const long = sources.filter((file) => readFileSync(join(ROOT, file), 'utf8').split('\n').length > LONGEST_SOURCE)
  assert.deepEqual(long, [])
})

test('only http knows the router, and nothing reads the environment but the command line', () => {
  const reads = (pattern: RegExp) => sources.filter((file) => pattern.test(readFileSync(join(ROOT, file), 'utf8')))
  assert.deepEqual(reads(/from 'find-my-way'/), ['src/http/router.ts'])
  assert.deepEqual(reads(/process\.env/), ['src/cli/main.ts'])
})
