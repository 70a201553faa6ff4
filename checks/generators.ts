// `npm run check -- generators`: clients that common generators make from the OpenAPI document of a running service pass a
// strict type check and get the replies that they expect, and linters find nothing in the document. It installs the
// generators (checks/generators/package.json) into .runtime, so the first run takes minutes.
import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { build } from 'esbuild'
import sharp from 'sharp'
import { createToken } from '../test/kit/app.ts'
import { startPictureSource } from '../test/kit/picture-source.ts'
import { reverseScope } from '../test/kit/scope.ts'
import { startTestService } from '../test/kit/service.ts'

const ROOT = join(import.meta.dirname, '..')
const SOURCE = join(import.meta.dirname, 'generators')
const CACHE = join(ROOT, '.runtime', 'checks', 'generators')
const CLIENTS = join(CACHE, 'clients')
const GENERATED = join(CLIENTS, 'generated')
const DOCUMENT = join(CACHE, 'openapi.json')
const GROUPS = ['developer', 'random', 'filters', 'product', 'operator'] as const
const TSCONFIG = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    target: 'es2023',
    module: 'esnext',
    moduleResolution: 'bundler',
    allowImportingTsExtensions: true,
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: [],
    skipLibCheck: true,
  },
  include: ['clients'],
}

interface Target {
  readonly url: string
  readonly token: string
  readonly image: string
}

/** The names are those of the packages and of the programs in `generators/clients`. */
const generators: readonly { name: string; packageName?: string; command?: (target: Target) => string[] }[] = [
  {
    name: 'openapi-typescript',
    command: () => ['openapi-typescript/bin/cli.js', DOCUMENT, '-o', join(GENERATED, 'openapi-typescript.ts')],
  },
  {
    name: 'hey-api',
    packageName: '@hey-api/openapi-ts',
    command: () => [
      '@hey-api/openapi-ts/bin/run.js',
      '-i',
      DOCUMENT,
      '-o',
      join(GENERATED, 'hey-api'),
      '--no-log-file',
    ],
  },
  { name: 'oazapfts', command: () => ['oazapfts/dist/cli.js', DOCUMENT, join(GENERATED, 'oazapfts.ts')] },
  { name: 'orval', command: () => ['orval/dist/bin/orval.mjs', '--config', join(CACHE, 'orval.config.mjs')] },
  {
    name: 'openapi-zod-client',
    command: () => ['openapi-zod-client/bin.js', DOCUMENT, '-o', join(GENERATED, 'openapi-zod-client.ts')],
  },
  { name: 'swagger-client' },
]

const run = (file: string, args: readonly string[]) =>
  promisify(execFile)(file, args, { cwd: CACHE, maxBuffer: 64 * 2 ** 20, env: { ...process.env, CI: '1' } })
const runPackage = ([script = '', ...args]: readonly string[]) =>
  run(process.execPath, [join(CACHE, 'node_modules', script), ...args])

/** Exactly the versions of the lock file, without scripts of packages. */
async function install(): Promise<void> {
  const installed = join(CACHE, 'installed.json')
  const lock = await readFile(join(SOURCE, 'package-lock.json'), 'utf8')
  if ((await readFile(installed, 'utf8').catch(() => '')) === lock) return
  console.log('Installing the generators …')
  await mkdir(CACHE, { recursive: true })
  for (const name of ['package.json', 'package-lock.json']) await cp(join(SOURCE, name), join(CACHE, name))
  await cp(join(ROOT, '.npmrc'), join(CACHE, '.npmrc'))
  await run('npm', ['ci', '--ignore-scripts'])
  await writeFile(installed, lock)
}

const failures: string[] = []

async function check(name: string, work: () => Promise<unknown>): Promise<'ok' | 'FAILED'> {
  try {
    await work()
    return 'ok'
  } catch (error) {
    const { message, stdout = '', stderr = '' } = error as Error & { stdout?: string; stderr?: string }
    failures.push(`${name}: ${[message, stdout, stderr].join('\n').trim()}`)
    return 'FAILED'
  }
}

async function callGroups(name: string, target: Target) {
  const outfile = join(CACHE, 'bundles', `${name}.mjs`)
  const banner = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)"
  await build({
    entryPoints: [join(CLIENTS, `${name}.ts`)],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    banner: { js: banner },
    logLevel: 'silent',
  })
  const { buildGroups } = await import(pathToFileURL(outfile).href)
  const groups = buildGroups(target) as Record<(typeof GROUPS)[number], () => Promise<void>>
  const results: Record<string, string> = {}
  for (const group of GROUPS) results[group] = await check(`${name}, ${group}`, () => groups[group]())
  return results
}

/** Type errors by generator. */
async function checkTypes(): Promise<string> {
  await writeFile(join(CACHE, 'tsconfig.json'), JSON.stringify(TSCONFIG))
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
  return run(process.execPath, [tsc, '-p', CACHE]).then(
    () => '',
    (error: { stdout?: string }) => error.stdout || String(error),
  )
}

async function checkGenerators(target: Target): Promise<void> {
  await rm(CLIENTS, { recursive: true, force: true })
  await cp(join(SOURCE, 'clients'), CLIENTS, { recursive: true })
  await mkdir(GENERATED)
  const output = { target: join(GENERATED, 'orval.ts'), client: 'fetch', baseUrl: target.url }
  const config = { api: { input: DOCUMENT, output } }
  await writeFile(join(CACHE, 'orval.config.mjs'), `export default ${JSON.stringify(config)}\n`)
  const generated = new Map<string, string>()
  for (const { name, command } of generators)
    generated.set(name, command ? await check(`${name}, generated`, () => runPackage(command(target))) : '')
  const typeErrors = (await checkTypes()).split('\n')
  const rows: Record<string, Record<string, string>> = {}
  for (const { name, packageName = name } of generators) {
    const { version } = JSON.parse(await readFile(join(CACHE, 'node_modules', packageName, 'package.json'), 'utf8'))
    const own = typeErrors.filter((line) => line.includes(`/${name}`))
    if (own.length > 0) failures.push(`${name}, types: ${own.join('\n')}`)
    const types = own.length > 0 ? 'FAILED' : 'ok'
    const calls = await callGroups(name, target).catch((error) => {
      failures.push(`${name}: ${error}`)
      return { calls: 'FAILED' }
    })
    rows[name] = { version, generated: generated.get(name) ?? '', types, ...calls }
  }
  const others = typeErrors.filter(
    (line) => /error TS/.test(line) && !generators.some(({ name }) => line.includes(`/${name}`)),
  )
  if (others.length > 0) failures.push(`types: ${others.join('\n')}`)
  console.table(rows)
}

async function checkLinters(source: string): Promise<void> {
  const ruleset = join(CACHE, 'spectral.json')
  await writeFile(ruleset, JSON.stringify({ extends: [['spectral:oas', 'recommended']] }))
  const spectral = await check('Spectral', () =>
    runPackage(['@stoplight/spectral-cli/dist/index.js', 'lint', DOCUMENT, '-r', ruleset, '--fail-severity', 'hint']),
  )
  const redocly = await check('Redocly', async () => {
    const config = await createConfig({ extends: ['recommended'] })
    const found = await lintFromString({ source, absoluteRef: 'openapi.json', config })
    if (found.length > 0) throw new Error(found.map(({ message }) => message).join('\n'))
  })
  console.table({ Spectral: { recommended: spectral }, Redocly: { recommended: redocly } })
}

const closers: (() => Promise<void> | void)[] = []
const scope = reverseScope({ after: (work) => void closers.push(work) })
try {
  await install()
  const pictures = await startPictureSource(scope)
  const square = { create: { width: 32, height: 32, channels: 3 as const, background: '#fbc' } }
  const image = pictures.put('/square.png', { type: 'image/png', body: await sharp(square).png().toBuffer() })
  const { url, dataDir } = await startTestService(scope, {
    FILTER_ALLOW_HOSTS: pictures.host,
    SECURITY_CONTACT: 'security@example.org',
  })
  const { headers } = await createToken(dataDir)
  const source = await (await fetch(`${url}/openapi.json`)).text()
  await writeFile(DOCUMENT, source)
  console.log(`OpenAPI document: ${source.length} bytes`)
  await checkGenerators({ url, token: headers.Authorization.replace('Bearer ', ''), image })
  await checkLinters(source)
} finally {
  for (const close of closers) await close()
}
for (const failure of failures) console.error(`\n${failure}`)
if (failures.length > 0) process.exitCode = 1
