// Packs the three npm packages, installs them into empty projects, and uses them as their users do: in each supported Node,
// in Bun and Deno, with TypeScript, and in bundles. The exit code is 1 if anything fails.
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { build } from 'esbuild'
import { artistKinds, draw } from '../packages/artist/src/index.ts'
import { createPrograms, type ProgramOutput, typedPrograms } from './packages/programs.ts'

const ROOT = join(import.meta.dirname, '..')
const TOOLS = join(ROOT, '.runtime', 'checks', 'packages')
const NODES = ['18', '20', '24', '26']
/** With 18 the start script installs the pinned Node, which it finds again with 20. */
const SERVICE_NODES = ['26', '24', '18', '20']
const STEP_TIMEOUT_MS = 60_000
const INSTALL_TIMEOUT_MS = 8 * 60_000

const results: { name: string; seconds: number; problem: string | undefined }[] = []

/** A failed step does not end the check: the others may fail for the same reason, or show that it is the only one. */
async function step<T>(name: string, work: () => Promise<T>): Promise<T | undefined> {
  const start = performance.now()
  const finish = (problem?: string) => {
    const seconds = (performance.now() - start) / 1000
    results.push({ name, seconds, problem })
    console.log(`${problem === undefined ? 'ok  ' : 'FAIL'} ${seconds.toFixed(1).padStart(6)} s  ${name}`)
    if (problem !== undefined) console.log(problem.replace(/^/gm, '       '))
  }
  try {
    const value = await work()
    finish()
    return value
  } catch (error) {
    finish((error as Error).message)
    return undefined
  }
}

/** Without what npm adds to the environment of its scripts: users do not have it. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(?:npm_(?:lifecycle|package|execpath)|NODE_|INIT_CWD)/.test(name)),
)

interface RunOptions extends SpawnOptions {
  readonly timeoutMs?: number
}

/** Returns standard output. Throws if the program fails or takes too long. */
async function run(program: string, args: readonly string[], options: RunOptions): Promise<string> {
  const { timeoutMs = STEP_TIMEOUT_MS, env, ...others } = options
  const child = spawn(program, args, {
    ...others,
    env: { ...environment, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name]!.setEncoding('utf8').on('data', (text) => (output[name] += text))
  const [code, signal] = await once(child, 'close')
  if (code === 0) return output.stdout
  const end = signal ? `was ended by ${signal} (limit: ${timeoutMs / 1000} s)` : `exit code ${code}`
  throw new Error(`${program} ${args[0]}: ${end}\n${output.stdout.slice(-2000)}${output.stderr.slice(-2000)}`)
}

const npm = (cwd: string, ...args: string[]) => {
  const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter)
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error']
  return run('npm', [...args, ...quiet], { cwd, env: { PATH }, timeoutMs: INSTALL_TIMEOUT_MS })
}

/** Installs the tools if their lock file has changed. */
async function installTools(): Promise<void> {
  const source = join(import.meta.dirname, 'packages')
  const lock = await readFile(join(source, 'package-lock.json'), 'utf8')
  const stamp = join(TOOLS, 'node_modules', '.installed')
  if (existsSync(stamp) && (await readFile(stamp, 'utf8')) === lock) return
  await mkdir(TOOLS, { recursive: true })
  for (const file of ['package.json', 'package-lock.json']) await copyFile(join(source, file), join(TOOLS, file))
  await npm(TOOLS, 'ci', '--ignore-scripts', '--prefer-offline')
  await writeFile(stamp, lock)
}

const loadTool = (name: string) => import(createRequire(join(TOOLS, 'package.json')).resolve(name))
const toolFile = (...path: string[]) => join(TOOLS, 'node_modules', ...path)
const nodeBinary = (version: string) => toolFile(`node${version}-${process.arch}`, 'bin', 'node')

interface Packed {
  readonly name: string
  readonly file: string
  readonly size: number
  readonly unpackedSize: number
  readonly files: number
}

async function pack(source: string, folder: string): Promise<Packed> {
  const [{ name, filename, size, unpackedSize, entryCount }] = JSON.parse(
    // Otherwise the output of the build precedes the JSON.
    await npm(source, 'pack', '--json', '--foreground-scripts=false', '--pack-destination', folder),
  )
  return { name, file: join(folder, filename), size, unpackedSize, files: entryCount }
}

/** publint: the fields of package.json. */
async function lintPackage(file: string): Promise<void> {
  const [{ publint }, { formatMessage }] = await Promise.all([loadTool('publint'), loadTool('publint/utils')])
  const bytes = await readFile(file)
  const tarball = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)
  const { messages, pkg } = await publint({ pack: { tarball }, strict: true })
  if (messages.length > 0) throw new Error(messages.map((message: unknown) => formatMessage(message, pkg)).join('\n'))
}

/** attw ("are the types wrong"): the types of each way to import the package. */
async function checkTypeFiles(file: string): Promise<void> {
  const { checkPackage, createPackageFromTarballData } = await loadTool('@arethetypeswrong/core')
  const { types, problems } = await checkPackage(createPackageFromTarballData(new Uint8Array(await readFile(file))))
  if (types === false || problems.length > 0) throw new Error(JSON.stringify(problems ?? 'no types', undefined, 2))
}

async function createProject(parent: string, name: string, files: readonly string[]): Promise<string> {
  const project = join(parent, name)
  await mkdir(project)
  await writeFile(join(project, 'package.json'), '{ "private": true }\n')
  // sharp is the only dependency that npm fetches; usually it is in the cache.
  await npm(project, 'install', '--prefer-offline', '--ignore-scripts', ...files)
  return project
}

interface RunningService {
  readonly url: string
  readonly child: ChildProcess
}

/** Starts the installed program in an empty folder. */
async function startService(project: string, version: string, parent: string): Promise<RunningService> {
  const folder = await mkdtemp(join(parent, `node${version}-`))
  const program = join(project, 'node_modules', 'menagerie', 'scripts', 'menagerie.mjs')
  // An old Node has an old npm.
  const env = { ...environment, PORT: '0', npm_execpath: toolFile('npm', 'bin', 'npm-cli.js') }
  const child = spawn(nodeBinary(version), [program, 'serve'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  process.once('exit', () => child.kill('SIGKILL'))
  const output = { text: '' }
  const url = await new Promise<string>((resolve, reject) => {
    const fail = (reason: string) => {
      child.kill('SIGKILL')
      reject(new Error(`${reason}\n${output.text}`))
    }
    const timer = setTimeout(fail, 2 * STEP_TIMEOUT_MS, 'The service does not start in time.')
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output.text += text
        const found = /Service\s+(\S+)\/api\n/.exec(output.text)?.[1]
        if (!found) return
        clearTimeout(timer)
        resolve(found)
      })
    }
    child.on('error', ({ message }) => fail(message)).on('exit', (code) => fail(`The service exits with code ${code}.`))
  })
  if (!output.text.includes('init .'))
    throw new Error(`The service does not say how to change its content:\n${output.text}`)
  return { url, child }
}

async function getJson(url: string): Promise<Record<string, unknown>> {
  const reply = await fetch(url, { signal: AbortSignal.timeout(STEP_TIMEOUT_MS) })
  return (await reply.json()) as Record<string, unknown>
}

async function checkService(url: string): Promise<void> {
  const ready = await getJson(`${url}/readyz`)
  if (ready.state !== 'ok') throw new Error(`/readyz: ${JSON.stringify(ready)}`)
  const animal = await getJson(`${url}/api/v2/random/animal/any`)
  if (animal.success !== true) throw new Error(`random animal: ${JSON.stringify(animal)}`)
  const blocked = await getJson(`${url}/api/v2/filter/invert?image=http://bit.ly/a.png`)
  if (blocked.code !== 'IMAGE_HOST_BLOCKED') throw new Error(`blocked host: ${JSON.stringify(blocked)}`)
}

async function stopService({ child }: RunningService): Promise<void> {
  const timer = setTimeout(() => child.kill('SIGKILL'), STEP_TIMEOUT_MS)
  child.kill('SIGTERM')
  const [code, signal] = child.exitCode === null ? await once(child, 'exit') : [child.exitCode]
  clearTimeout(timer)
  if (code !== 0) throw new Error(`After SIGTERM the service exits with ${code ?? signal} instead of 0.`)
}

const digest = (drawings: readonly string[]) => createHash('sha256').update(drawings.join()).digest('hex')
const EXPECTED_DIGEST = digest(artistKinds.map((kind) => draw(kind, 'Zoë')))

/** Runs a program of a user, and compares what it prints. */
async function runProgram(project: string, serviceUrl: string, command: readonly string[]): Promise<void> {
  const [program = '', ...args] = command
  const env = { DENO_DIR: join(project, '.deno'), DENO_NO_UPDATE_CHECK: '1', DO_NOT_TRACK: '1' }
  const { url, code, drawings }: ProgramOutput = JSON.parse(await run(program, args, { cwd: project, env }))
  if (!url.startsWith(serviceUrl)) throw new Error(`The client got the URL ${url}.`)
  if (code !== 'UNKNOWN_KIND') throw new Error(`The error of the client has the code ${code}.`)
  if (digest(drawings) !== EXPECTED_DIGEST) throw new Error('The drawings differ from those of the sources.')
}

function listRuntimes(): Record<string, readonly string[]> {
  const isArm = process.arch === 'arm64'
  const deno = toolFile('@deno', isArm ? 'linux-arm64-glibc' : 'linux-x64-glibc', 'deno')
  return {
    ...Object.fromEntries(NODES.map((version) => [`Node ${version}`, [nodeBinary(version)]])),
    Bun: [toolFile('@oven', isArm ? 'bun-linux-aarch64' : 'bun-linux-x64', 'bin', 'bun'), 'run'],
    Deno: [deno, 'run', '--quiet', '--cached-only', '--node-modules-dir=manual', '--allow-all'],
  }
}

const bundlers: Record<string, (project: string, out: string) => Promise<unknown>> = {
  esbuild: (project, out) =>
    build({
      absWorkingDir: project,
      entryPoints: ['program.mjs'],
      outfile: out,
      bundle: true,
      minify: true,
      platform: 'browser',
      logLevel: 'silent',
    }),
  webpack: async (project, out) => {
    const { default: webpack } = await loadTool('webpack')
    const output = { path: dirname(out), filename: 'webpack.cjs' }
    const options = { context: project, entry: './program.mjs', mode: 'production', target: 'web', performance: false }
    // Minifying takes most of the time, and changes nothing that the package decides.
    const optimization = { minimize: false }
    await new Promise<void>((resolve, reject) => {
      webpack(
        { ...options, optimization, output },
        (error: Error | null, stats: { hasWarnings(): boolean; hasErrors(): boolean }) =>
          error || stats.hasErrors() || stats.hasWarnings() ? reject(error ?? new Error(String(stats))) : resolve(),
      )
    })
  },
}

const typeChecks = {
  'node16, ESM and CommonJS': ['--module', 'node16', 'typed.mts', 'typed.cts'],
  bundler: ['--module', 'esnext', '--moduleResolution', 'bundler', 'typed.ts'],
}

async function checkLibraries(project: string, url: string): Promise<void> {
  const files = { ...createPrograms(url), ...typedPrograms }
  for (const [file, text] of Object.entries(files)) await writeFile(join(project, file), text)
  for (const [name, command] of Object.entries(listRuntimes())) {
    for (const [file, format] of [
      ['program.mjs', 'ESM'],
      ['program.cjs', 'CommonJS'],
    ] as const) {
      await step(`client and artist: ${name}, ${format}`, () => runProgram(project, url, [...command, file]))
    }
  }
  for (const [name, bundle] of Object.entries(bundlers)) {
    await step(`client and artist: bundle of ${name}`, async () => {
      const out = join(project, `${name}.cjs`)
      await bundle(project, out)
      await runProgram(project, url, [nodeBinary(NODES[0]!), out])
    })
  }
  const strict = ['--strict', '--noEmit', '--target', 'es2022', '--lib', 'es2022,dom']
  for (const [name, args] of Object.entries(typeChecks)) {
    await step(`client and artist: TypeScript, ${name}`, () =>
      run(process.execPath, [toolFile('typescript', 'lib', 'tsc.js'), ...strict, ...args], { cwd: project }),
    )
  }
}

function printSizes(packages: readonly Packed[]): void {
  const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(0)} kB`
  console.log('\npackage             packed    unpacked  files')
  for (const { name, size, unpackedSize, files } of packages) {
    console.log(
      `${name.padEnd(17)} ${kilobytes(size).padStart(8)} ${kilobytes(unpackedSize).padStart(11)} ${String(files).padStart(6)}`,
    )
  }
}

// Also then, no service may be left running.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
const folder = await mkdtemp(join(tmpdir(), 'menagerie-packages-'))
const packages: Packed[] = []
try {
  await step('install the tools (checks/packages)', installTools)
  for (const path of ['.', 'packages/client', 'packages/artist']) {
    const packed = await step(`pack ${path}`, () => pack(join(ROOT, path), folder))
    if (!packed) continue
    packages.push(packed)
    await step(`${packed.name}: publint`, () => lintPackage(packed.file))
    if (path !== '.') await step(`${packed.name}: attw`, () => checkTypeFiles(packed.file))
  }
  const listFiles = (isService: boolean) =>
    packages.filter(({ name }) => (name === 'menagerie') === isService).map(({ file }) => file)
  const project = await step('install client and artist', () => createProject(folder, 'libraries', listFiles(false)))
  const installed = await step('install menagerie', () => createProject(folder, 'service', listFiles(true)))
  for (const version of installed ? SERVICE_NODES : []) {
    const started = await step(`menagerie: starts with Node ${version}`, () =>
      startService(installed!, version, folder),
    )
    if (!started) continue
    await step(`menagerie: Node ${version}, ready, a random animal, blocklist`, () => checkService(started.url))
    // All of them call the same service.
    if (project && version === SERVICE_NODES[0]) await checkLibraries(project, started.url)
    await step(`menagerie: Node ${version}, exit code 0 after SIGTERM`, () => stopService(started))
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
printSizes(packages)
const failed = results.filter(({ problem }) => problem !== undefined)
const seconds = results.reduce((sum, result) => sum + result.seconds, 0)
console.log(`\n${results.length} checks in ${seconds.toFixed(0)} s, ${failed.length} failed`)
for (const { name } of failed) console.log(`FAIL ${name}`)
process.exitCode = failed.length > 0 ? 1 : 0
