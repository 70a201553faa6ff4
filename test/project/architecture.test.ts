// Imports point one way: main -> cli -> app -> http -> features -> platform -> config, errors.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'
import { ROOT } from '../kit/root.ts'

const MAX_LINES = 250

/** A file imports only from its own layer and from those after it. */
const LAYERS = [
  'src/main.ts',
  'src/cli/',
  'src/app/',
  'src/http/pages/',
  'src/http/api/',
  'src/http/kernel/',
  'src/features/',
  'packages/artist/',
  'packages/client/',
  'src/platform/',
  'src/config/',
  'src/errors/',
]
/** The folders in these have an `index.ts`, which is all that other folders import. */
const WITH_INDEX = ['src/features/', 'src/platform/', 'packages/']

const sources = globSync(['src/**/*.ts', 'packages/*/{src,tags}/**/*.ts'], { cwd: ROOT }).filter(
  (file) => !file.includes('/kernels/') && !file.startsWith('packages/client/'),
)
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

const layerOf = (file: string) => LAYERS.findIndex((layer) => file.startsWith(layer))

/** `src/features/images`, for a file in any depth below it. */
function moduleOf(file: string): string | undefined {
  const parent = WITH_INDEX.find((folder) => file.startsWith(folder))
  return parent && parent + file.slice(parent.length).split('/', 1)[0]
}

/** Types are gone at run time, so only values can depend on each other in a cycle. */
function importsOf(file: string, valuesOnly = false): string[] {
  const text = valuesOnly ? read(file).replace(/(?:import|export) type [^;]*?from '[^']+'/g, '') : read(file)
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, path = '']) =>
    normalize(join(dirname(file), path)),
  )
}

function findFault(from: string, to: string): string | undefined {
  if (layerOf(from) === -1) return 'this file is in no layer'
  if (layerOf(to) < layerOf(from)) return 'imports point from the first layer to the last'
  const target = moduleOf(to)
  if (!target || target === moduleOf(from)) return undefined
  if (!/^[^/]+\/([^/]+\/)?(src\/)?index\.ts$/.test(to.slice(dirname(target).length + 1))) {
    return `other modules import only ${target}/index.ts`
  }
  return undefined
}

test('imports point one way', () => {
  const faults = sources.flatMap((from) =>
    importsOf(from).flatMap((to) => {
      const why = findFault(from, to)
      return why ? [`${from} imports ${to}: ${why}`] : []
    }),
  )
  assert.deepEqual(faults, [])
})

test('the rules find each kind of fault', () => {
  assert.ok(findFault('src/features/developer/log-files.ts', 'src/http/kernel/http-server.ts'))
  assert.ok(findFault('src/features/developer/log-files.ts', 'src/features/blocklist/parse-list.ts'))
  assert.ok(findFault('src/http/api/media.ts', 'src/features/content/content.ts'))
  assert.ok(findFault('src/http/api/media.ts', 'src/http/pages/index.ts'))
  assert.ok(findFault('src/platform/files/file-changes.ts', 'src/features/developer/index.ts'))
  assert.ok(findFault('src/errors/index.ts', 'src/config/config.ts'))
  assert.ok(findFault('src/http/kernel/http-server.ts', 'src/cli/run.ts'))
  assert.ok(findFault('src/loose.ts', 'src/errors/index.ts'))
  assert.equal(findFault('src/http/kernel/http-server.ts', 'src/features/developer/index.ts'), undefined)
  assert.equal(findFault('src/features/content/artist.ts', 'packages/artist/src/index.ts'), undefined)
  assert.equal(findFault('src/features/blocklist/index.ts', 'src/platform/files/index.ts'), undefined)
})

test('no import cycles', () => {
  const state = new Map<string, 'open' | 'done'>()
  const visit = (file: string, path: string[]): void => {
    if (state.get(file) === 'done' || !sources.includes(file)) return
    assert.notEqual(state.get(file), 'open', `cycle: ${[...path, file].join(' -> ')}`)
    state.set(file, 'open')
    for (const next of importsOf(file, true)) visit(next, [...path, file])
    state.set(file, 'done')
  }
  for (const file of sources) visit(file, [])
})

test('source files are short', () => {
  const long = sources.filter((file) => read(file).split('\n').length > MAX_LINES)
  assert.deepEqual(long, [])
})

test('only the kernel uses the router, and only the entry point reads the environment', () => {
  const using = (pattern: RegExp) => sources.filter((file) => pattern.test(read(file)))
  assert.deepEqual(using(/from 'find-my-way'/), ['src/http/kernel/router.ts'])
  assert.deepEqual(using(/process\.env/), ['src/main.ts'])
})
