import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../kit/folder.ts'
import { runProgram } from '../kit/program.ts'
import { ROOT } from '../kit/root.ts'
import { startSource } from '../kit/source.ts'

/** The sources: in the bundle the name of run.ts is not visible. */
const MAIN = join(ROOT, 'src', 'main.ts')

const OLD_VERSION = 'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.1.0" } })'
const toModuleUrl = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`

test('an old Node gets a message before anything is loaded that it cannot parse', async () => {
  const reportLoad =
    'import { registerHooks } from "node:module"; registerHooks({ load: (url, context, next) => {' +
    'if (/run\\.ts$/.test(url)) console.log("loaded"); return next(url, context) } })'
  const preload = toModuleUrl(`${reportLoad}\n${OLD_VERSION}`)
  const { status, output } = await runProgram(process.execPath, ['--import', preload, MAIN, '--version'], { cwd: ROOT })
  assert.equal(status, 1)
  assert.match(output, /^menagerie: Node 20\.1\.0 is too old\. Install Node 24 or newer, [^\n]*\n$/)
})

const readOldestNode = (file: string) => Number(/^const OLDEST_NODE = (\d+)$/m.exec(readFileSync(file, 'utf8'))?.[1])

test('the start script requires the same version of Node', () => {
  assert.equal(readOldestNode(join(ROOT, 'scripts/menagerie.mjs')), readOldestNode(MAIN))
})

test('the start script runs the pinned Node only if its package has the hash in the lock file, and it starts', async (t) => {
  const folder = await temporaryFolder(t)
  const name = `node-${process.platform}-${process.arch}`
  const version = '26.1.0'

  // A package in place of the real one, which has 60 MB, in a registry on loopback.
  await mkdir(join(folder, 'package', 'bin'), { recursive: true })
  await writeFile(join(folder, 'package', 'package.json'), JSON.stringify({ name, version }))
  const broken = join(folder, 'broken')
  const fail = `[ -e '${broken}' ] && { echo 'error while loading shared libraries: libatomic.so.1' >&2; exit 127; }`
  const binary = `#!/bin/sh\n${fail}\necho fetched\nexec '${process.execPath}' "$@"\n`
  await writeFile(join(folder, 'package', 'bin', 'node'), binary, { mode: 0o755 })
  assert.equal(spawnSync('tar', ['-czf', 'node.tgz', 'package'], { cwd: folder }).status, 0)
  const archive = await readFile(join(folder, 'node.tgz'))
  const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`
  const { url } = await startSource(t, (request, response) => {
    if (request.url === '/node.tgz') return void response.end(archive)
    const dist = { tarball: url('/node.tgz'), integrity }
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify({ name, 'dist-tags': { latest: version }, versions: { [version]: { name, version, dist } } }),
    )
  })

  const project = join(folder, 'project')
  for (const part of ['scripts', 'dist']) await mkdir(join(project, part), { recursive: true })
  await writeFile(join(project, 'package.json'), '{ "type": "module" }')
  await writeFile(join(project, 'dist', 'main.js'), 'console.log("started", ...process.argv.slice(2))')
  const script = join(project, 'scripts', 'menagerie.mjs')
  await copyFile(join(ROOT, 'scripts', 'menagerie.mjs'), script)
  const start = async (hash: string) => {
    const lock = { version, integrity: { [name]: hash } }
    await writeFile(join(project, 'scripts', 'runtime-lock.json'), JSON.stringify(lock))
    const env = { npm_config_registry: url(), npm_config_cache: join(folder, 'cache') }
    return runProgram(process.execPath, ['--import', toModuleUrl(OLD_VERSION), script, 'serve'], { cwd: folder, env })
  }

  const refused = await start(`sha512-${Buffer.alloc(64, 1).toString('base64')}`)
  assert.equal(refused.status, 1)
  assert.match(refused.output, /EINTEGRITY[\s\S]*menagerie: Installing node-\S+ 26\.1\.0 \(hash: .*\) failed/)
  assert.doesNotMatch(refused.output, /fetched|started/)
  assert.equal(existsSync(join(project, '.runtime', 'node_modules', name)), false)

  // Servers often lack a library that Node needs from version 25 on.
  await writeFile(broken, '')
  const unusable = await start(integrity)
  assert.match(
    unusable.output,
    /menagerie: Node 26\.1\.0 does not start: .*libatomic\.so\.1\. Install it: apt install /,
  )
  assert.deepEqual([unusable.status, existsSync(join(project, '.runtime', 'node_modules'))], [1, false])
  await rm(broken)

  const accepted = await start(integrity)
  assert.deepEqual([accepted.status, accepted.output.includes('fetched\nstarted serve\n')], [0, true], accepted.output)
})

test('a Node is pinned for every platform of the start script', () => {
  const { version, integrity } = JSON.parse(readFileSync(join(ROOT, 'scripts/runtime-lock.json'), 'utf8'))
  assert.match(version, /^\d+\.\d+\.\d+$/)
  assert.ok(Number.parseInt(version, 10) >= readOldestNode(MAIN))
  const names = ['linux-x64', 'linux-arm64', 'darwin-x64', 'bin-darwin-arm64', 'win-x64'].map((name) => `node-${name}`)
  assert.deepEqual(Object.keys(integrity), names)
  // npm has verified these hashes, too: `npm run check -- packages` installs the same packages.
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'checks/packages/package-lock.json'), 'utf8'))
  for (const arch of ['x64', 'arm64']) {
    const installed = packages[`node_modules/node26-${arch}`]
    assert.deepEqual([installed.version, installed.integrity], [version, integrity[`node-linux-${arch}`]])
  }
  for (const hash of Object.values(integrity)) assert.match(String(hash), /^sha512-[A-Za-z0-9+/]{86}==$/)
})
