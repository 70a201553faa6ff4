import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { APP, startApp, type TestApp } from '../../../kit/app.ts'
import { record, releasesYaml } from '../../../kit/releases.ts'
import { forSuite } from '../../../kit/scope.ts'
import { until } from '../../../kit/until.ts'

const SHA512 = 'cd'.repeat(64)
const launcher = (...records: string[]) => ({ 'releases.yaml': releasesYaml({ launcher: records }) })
const staged = launcher(record('1.0.0', { sha512: SHA512 }), record('1.1.0', { rollout: 50, sha512: SHA512 }))
/** The service trusts the forwarded addresses of the tests. */
const settings = { TRUST_PROXY: '127.0.0.1', PUBLIC_URL: 'https://animals.example' }
const networks = Array.from({ length: 24 }, (_, n) => `203.0.113.${n}`)
const both = ['1.0.0', '1.1.0']
const open = forSuite(async (t) => ({
  rolling: await startApp(t, staged, settings),
  plain: await startApp(t, launcher(record('1.0.0')), settings),
}))

const paths = [
  '/launcher/updates',
  '/version/app/launcher',
  '/versions',
  '/launcher/updates/latest.yml',
  '/download/launcher',
]

/** The version that each of many clients is offered. */
const offered = ({ fetchPath }: TestApp, path: string, callers: readonly Record<string, string>[]) =>
  Promise.all(
    callers.map(async (headers) => {
      const reply = await fetchPath(APP + path, { headers, redirect: 'manual' })
      const text = reply.headers.get('location') ?? (await reply.text())
      return /(?:version"?: ?"|example\/)(1\.\d\.0)/.exec(text)?.[1]
    }),
  )

const kinds = (versions: (string | undefined)[]) => [...new Set(versions)].sort()

test('an installation with an id gets the same release in every network', async () => {
  for (const path of paths) {
    const findVersion = (id: string) =>
      offered(
        open().rolling,
        path,
        networks
          .slice(0, 4)
          .map((address) => ({ 'X-Forwarded-For': address, 'X-Install-Id': id, 'X-Client-Key': 'one' })),
      )
    const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => findVersion(`laptop-${n}`)))
    for (const heard of answers) assert.equal(kinds(heard).length, 1, 'one installation, one answer')
    assert.deepEqual(kinds(answers.flat()), both, 'installations differ, with one key in all of them')
  }
})

test('everybody who asks for updates by hand gets the newest release', async () => {
  const callers = networks.map((address) => ({ 'X-Forwarded-For': address }))
  for (const path of ['/launcher/updates?manual=true', '/launcher/updates?format=electron&manual=true'])
    assert.deepEqual(kinds(await offered(open().rolling, path, callers)), ['1.1.0'], path)
  assert.deepEqual(kinds(await offered(open().rolling, '/launcher/updates?manual=false', callers)), both)
})

test('installations that share a client key are different clients', async () => {
  const { rolling } = open()
  const callers = networks.map((address) => ({ 'X-Forwarded-For': address, 'X-Client-Key': 'one' }))
  for (const path of paths) {
    const first = await offered(rolling, path, callers)
    assert.deepEqual(kinds(first), both)
    assert.deepEqual(await offered(rolling, path, callers), first, 'each hears the same again')
  }
})

test('the id that electron-updater sends is used', async () => {
  const callers = networks.map((_, n) => ({ 'X-User-Staging-Id': `00000000-0000-4000-8000-0000000000${n + 10}` }))
  assert.deepEqual(kinds(await offered(open().rolling, '/launcher/updates/latest.yml', callers)), both)
})

test('a malformed id is refused, with or without a staged release', async () => {
  for (const app of Object.values(open())) {
    for (const path of paths) {
      const good = await app.fetchPath(APP + path, { headers: { 'X-Install-Id': 'a'.repeat(100) }, redirect: 'manual' })
      assert.notEqual(good.status, 400, path)
      for (const id of ['a'.repeat(101), 'a b', 'a,b', "a'"]) {
        const { status, body } = await app.fetchJson(APP + path, { headers: { 'X-Install-Id': id } })
        assert.deepEqual([status, body.code, body.parameter], [400, 'INVALID_PARAMETER', 'X-Install-Id'], path)
      }
    }
  }
})

test('a false id changes only the reply to its sender', async () => {
  const askAs = async (headers: Record<string, string>) =>
    (await open().rolling.fetchJson(`${APP}/launcher/updates`, { headers })).body.latest
  const honest = { 'X-Install-Id': 'honest' }
  const before = await askAs(honest)
  for (const id of ['', 'x'.repeat(4000), '../../etc/passwd', 'a, b', '%00', "' OR 1=1", 'h\u00f6']) {
    const liar = { 'X-User-Staging-Id': id }
    assert.equal(await askAs(liar), await askAs(liar), id)
    assert.equal(await askAs({ ...liar, ...honest }), before, 'X-Install-Id decides')
  }
  assert.equal(await askAs(honest), before)
})

test('replies vary by installation only during a staged rollout', async () => {
  const varied = async (app: TestApp, path: string) => {
    const { headers } = await app.fetchPath(APP + path)
    return [
      headers.get('cache-control')?.split(',')[0],
      headers.get('vary')?.replace(/(, )?Accept-Encoding$/, '') || null,
    ]
  }
  const { rolling, plain } = open()
  for (const path of ['/launcher/updates', '/version/app/launcher', '/launcher/updates?format=tauri']) {
    const own = ['private', 'X-Install-Id, X-User-Staging-Id, X-Client-Key']
    assert.deepEqual(await varied(rolling, path), own, path)
    assert.deepEqual(await varied(plain, path), ['public', null], path)
  }
})

test('browsers may send the id, and OpenAPI describes it', async () => {
  const { fetchPath, fetchJson } = open().rolling
  const headers = { Origin: 'https://launcher.example', 'Access-Control-Request-Method': 'GET' }
  const allowed = await fetchPath(`${APP}/launcher/updates`, { method: 'OPTIONS', headers })
  assert.match(allowed.headers.get('access-control-allow-headers') ?? '', /X-Install-Id/)
  const { paths: described, components } = (await fetchJson('/openapi.json')).body
  const { in: location, required } = components.parameters.XInstallIdParameter
  assert.deepEqual([location, required], ['header', false])
  for (const path of [`${APP}/launcher/updates`, `${APP}/download/{application}`]) {
    const references = described[path].get.parameters.map(({ $ref }: { $ref?: string }) => $ref)
    assert.ok(references.includes('#/components/parameters/XInstallIdParameter'), path)
  }
})

test('an install id is neither logged nor stored', async (t) => {
  const { fetchPath, dataDir } = await startApp(t, staged, { LOG_LEVEL: 'trace' })
  const headers = { 'X-Install-Id': 'a-very-own-laptop' }
  for (const path of paths) await fetchPath(APP + path, { headers, redirect: 'manual' })
  await fetchPath('/the-last-request')
  const written = async () => {
    const entries = await readdir(dataDir, { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile())
    // A temporary file may be gone meanwhile.
    const textOf = (file: string) => readFile(file, 'latin1').catch(() => '')
    return (await Promise.all(files.map(({ parentPath, name }) => textOf(join(parentPath, name))))).join('\n')
  }
  await until(async () => (await written()).includes('/the-last-request'), 20_000)
  assert.ok(!(await written()).includes('a-very-own-laptop'))
})
