// Builds the image from the unchanged Dockerfile and runs it with the least rights:
//   npm run check -- image
// It uses Docker. Where no engine runs, root can use buildah and runc (apt-get install buildah runc).
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openBuildah } from './image/buildah.ts'
import { openDocker } from './image/docker.ts'
import { type Container, MACHINE, ROOT, runOrFail } from './image/engine.ts'

/** That of HEALTHCHECK in the Dockerfile. */
const START_SECONDS = 60
/** `docker stop` kills a container after this time by default. */
const STOP_SECONDS = 10
const URL_INSIDE = 'http://127.0.0.1:4010'

const engine = (await openDocker()) ?? (await openBuildah())
if (!engine) {
  console.error('The check needs a running Docker engine, or root with buildah and runc.')
  process.exit(1)
}

async function step<T>(title: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now()
  try {
    const result = await work()
    console.log(`✔ ${title} (${((performance.now() - start) / 1000).toFixed(1)} s)`)
    return result
  } catch (error) {
    console.error(`✖ ${title}`)
    throw error
  }
}

/** Runs an expression in Node.js inside the container, and returns what it evaluates to. */
async function evaluate(container: Container, expression: string) {
  const script = `Promise.resolve(${expression}).then((value) => console.log(JSON.stringify(value ?? null)))`
  const { code, stdout, stderr } = await container.exec(['node', '-e', script])
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout)
}

const fetchJson = (container: Container, path: string) =>
  evaluate(container, `fetch(${JSON.stringify(URL_INSIDE + path)}).then((reply) => reply.json())`)

/** Also reads the body: until then the connection keeps the process alive. */
const fetchType = (container: Container, url: string) =>
  evaluate(
    container,
    `fetch(${JSON.stringify(url)}).then(async (reply) => {
      await reply.arrayBuffer()
      return [reply.status, reply.headers.get('content-type')]
    })`,
  )

const runCommand = async (container: Container, ...args: string[]) => {
  const { code, stdout, stderr } = await container.exec(['node', 'dist/main.js', ...args, '--json'])
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout)
}

async function waitUntilHealthy(container: Container, command: readonly string[]): Promise<void> {
  const deadline = performance.now() + START_SECONDS * 1000
  for (;;) {
    const { code, stdout, stderr } = await container.exec(command)
    if (code === 0) return
    if (performance.now() > deadline) assert.fail(`not healthy after ${START_SECONDS} s: ${stdout}${stderr}`)
    await sleep(250)
  }
}

async function checkImage(commit: string, version: string): Promise<readonly string[]> {
  const { user, labels, healthCommand } = await engine!.readConfig()
  assert.equal(user, 'node')
  const label = (name: string) => labels[`org.opencontainers.image.${name}`]
  assert.deepEqual([label('revision'), label('version'), label('licenses')], [commit, version, 'MIT'])
  assert.ok(label('title') && label('description'))
  const files = await engine!.listFolder(MACHINE, '/app')
  assert.deepEqual(files.sort(), ['LICENSE', 'build', 'content', 'dist', 'node_modules', 'package.json'])
  assert.ok((await engine!.listFolder(MACHINE, '/app/dist')).includes('THIRD-PARTY-NOTICES'))
  return healthCommand
}

async function checkRights(container: Container): Promise<void> {
  const status: string = await evaluate(container, "require('fs').readFileSync('/proc/self/status', 'utf8')")
  assert.match(status, /^Uid:\t1000\t/m)
  assert.match(status, /^CapEff:\t0+$/m)
  assert.match(status, /^NoNewPrivs:\t1$/m)
  const write = (path: string) =>
    `(() => { try { require('fs').writeFileSync('${path}', '') } catch (error) { return error.code } })()`
  assert.match(await evaluate(container, write('/app/content/x')), /^EROFS$/)
  assert.equal(await evaluate(container, write('/data/x')), null)
}

async function checkReplies(container: Container, commit: string, version: string): Promise<void> {
  const info = await fetchJson(container, '/api/v1/version')
  assert.deepEqual([info.version, info.commit], [version, commit])
  const { message } = await fetchJson(container, '/api/v2/random/animal/cat')
  const [status, type] = await fetchType(container, message)
  assert.equal(status, 200)
  assert.match(type, /^image\//)
}

async function checkFilter(container: Container): Promise<void> {
  const { message } = await fetchJson(container, '/api/v2/random/animal/fox')
  const filter = `${URL_INSIDE}/api/v1/filter/blur?output=png&image=${encodeURIComponent(message)}`
  assert.deepEqual(await fetchType(container, filter), [200, 'image/png'])
  const { state, problems } = await fetchJson(container, '/readyz')
  assert.deepEqual([state, problems], ['ok', []])
}

async function stop(container: Container): Promise<void> {
  assert.equal(await container.stop(STOP_SECONDS), 0, `exit code (undefined: it still ran after ${STOP_SECONDS} s)`)
}

async function check(): Promise<void> {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const commit = (await runOrFail('git', ['rev-parse', 'HEAD'], { cwd: ROOT })).trim()
  const buildArguments = { COMMIT: commit, VERSION: version }
  console.log(`Checking the image of ${version} (${commit.slice(0, 8)}) with ${engine!.name}`)

  await step(`builds for ${MACHINE}`, () => engine!.build(MACHINE, buildArguments))
  const healthCommand = await step('has labels, a user, and only the files that it needs', () =>
    checkImage(commit, version),
  )
  const first = await step('starts without settings, and becomes healthy', async () => {
    const container = await engine!.start()
    await waitUntilHealthy(container, healthCommand)
    return container
  })
  await step('has no rights: user 1000, no capabilities, writes only to /data and /tmp', () => checkRights(first))
  await step('serves an animal, and knows its commit', () => checkReplies(first, commit, version))
  await step('filters an image, and has no problems', () => checkFilter(first))
  const { token } = await step('creates a token', () => runCommand(first, 'token', 'create', 'check'))
  await step(`exits with 0 within ${STOP_SECONDS} s after SIGTERM`, () => stop(first))
  await step('keeps its data for the next container', async () => {
    const second = await engine!.start()
    await waitUntilHealthy(second, healthCommand)
    const { tokens } = await runCommand(second, 'token', 'list')
    assert.deepEqual(
      tokens.map(({ id }: { id: string }) => id),
      [token.id],
    )
    await stop(second)
  })

  const other = MACHINE === 'amd64' ? 'arm64' : 'amd64'
  await step(`builds for ${other} without an emulator, with the libraries of ${other}`, async () => {
    await engine!.build(other, buildArguments)
    const name = other === 'amd64' ? 'x64' : other
    const libraries = (await engine!.listFolder(other, '/app/node_modules/@img')).filter((entry) => /linux/.test(entry))
    assert.deepEqual(libraries.sort(), [`sharp-libvips-linux-${name}`, `sharp-linux-${name}`])
  })
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    await engine[Symbol.asyncDispose]()
    process.exit(1)
  })
}
try {
  await check()
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
} finally {
  await engine[Symbol.asyncDispose]()
}
