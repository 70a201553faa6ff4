// The deployment files match the repository.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { commands } from '../../src/cli/commands/index.ts'
import { settings } from '../../src/config/config.ts'
import { imagesDefaults } from '../../src/features/images/images.ts'
import { IDLE_TIMEOUT_MS } from '../../src/http/kernel/http-server.ts'
import { ROOT } from '../kit/root.ts'

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** The instructions of the Dockerfile, with continued lines joined. */
const instructions = read('Dockerfile')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, '')
  .split('\n')
  .filter((line) => line !== '')
const all = (name: string) =>
  instructions.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1))

const isSetting = (name: string) => Object.hasOwn(settings, name)

test('the image uses a fixed Node version and several stages, and does not run as root', () => {
  const stages = all('FROM')
  assert.ok(stages.length > 2)
  // Only the last stage has the architecture of the image, and it runs nothing: no build needs an emulator.
  for (const stage of stages.slice(0, -1)) {
    assert.match(stage, /^(?:--platform=\$BUILDPLATFORM node:26-[a-z]+-slim|base) AS [a-z]+$/)
  }
  assert.match(stages.at(-1) ?? '', /^node:26-[a-z]+-slim$/)
  const last = instructions.slice(instructions.findLastIndex((line) => line.startsWith('FROM ')))
  assert.ok(last.includes('USER node'))
  assert.ok(!last.some((line) => line.startsWith('RUN ')))
  assert.ok(last.includes('COPY --from=packages /app/node_modules ./node_modules'))
  assert.match(instructions.join('\n'), /AS packages\nARG TARGETARCH\nRUN npm ci --ignore-scripts --omit=dev /)
})

test('every file that the image copies exists and is allowed by .dockerignore', () => {
  const ignored = read('.dockerignore').split('\n')
  assert.ok(ignored.includes('*'))
  for (const copy of all('COPY').filter((line) => !line.startsWith('--from'))) {
    for (const path of copy
      .replace(/^--chown=\S+ /, '')
      .split(' ')
      .slice(0, -1)) {
      assert.ok(existsSync(join(ROOT, path)), path)
      assert.ok(ignored.includes(`!${path}`), `.dockerignore leaves ${path} out`)
    }
  }
  assert.ok(!ignored.some((line) => /^!.*(?:env$|data|\.git)/.test(line)))
})

test('the image starts the program directly and has a health check', () => {
  assert.deepEqual(JSON.parse(all('ENTRYPOINT')[0] ?? ''), ['node', 'dist/main.js'])
  assert.deepEqual(JSON.parse(all('CMD')[0] ?? ''), ['serve'])
  const [program, file, command] = JSON.parse(/CMD (\[.*\])$/.exec(all('HEALTHCHECK')[0] ?? '')?.[1] ?? '[]')
  assert.deepEqual([program, file], ['node', 'dist/main.js'])
  assert.match(read('scripts/menagerie.mjs'), /join\('dist', 'main\.js'\)/)
  assert.ok(commands.some(({ name }) => name === command))
  for (const [, name = ''] of (all('ENV')[0] ?? '').matchAll(/([A-Z_]+)=/g)) {
    assert.ok(['NODE_ENV', 'MALLOC_MMAP_THRESHOLD_'].includes(name) || isSetting(name), name)
  }
})

test('compose.yaml uses existing settings, contains no secrets, and waits for the store', () => {
  const { services, volumes, networks } = parse(read('compose.yaml'))
  const { menagerie, redis, prometheus } = services
  for (const name of Object.keys(menagerie.environment)) assert.ok(isSetting(name), name)
  assert.match(menagerie.environment.STORE_URL, /^redis:\/\/:\$\{REDIS_PASSWORD:\?.*\}@redis:6379$/)
  assert.deepEqual(menagerie.env_file, [{ path: 'compose.env', required: false }])
  assert.ok(read('.gitignore').split('\n').includes('compose.env'))
  assert.equal(menagerie.read_only, true)
  assert.deepEqual(menagerie.depends_on, { redis: { condition: 'service_healthy' } })
  assert.ok(redis.healthcheck && redis.command.includes('--appendonly'))
  assert.equal(redis.ports, undefined)
  assert.deepEqual(prometheus.profiles, ['metrics'])
  for (const { image } of [redis, prometheus]) assert.match(image, /:v?\d/)
  // A proxy on the host connects from there.
  const { gateway } = networks.default.ipam.config[0]
  assert.equal(menagerie.environment.TRUST_PROXY, `\${TRUST_PROXY:-${gateway}}`)
  assert.deepEqual(Object.keys(volumes), ['data', 'store', 'figures'])
})

test('the systemd unit runs in a sandbox as a separate user, and reloads without downtime', () => {
  const unit = read('ops/systemd/menagerie.service')
  const lines = ['DynamicUser=yes', 'ProtectSystem=strict', 'StateDirectory=menagerie', 'NoNewPrivileges=yes']
  for (const line of [...lines, 'Restart=on-failure', 'ExecReload=/bin/kill -HUP $MAINPID', 'KillMode=mixed']) {
    assert.ok(unit.split('\n').includes(line), line)
  }
  assert.match(unit, /^ExecStart=\S+ \/opt\/menagerie\/scripts\/menagerie\.mjs serve$/m)
  assert.match(unit, /^Environment=DATA_DIR=\/var\/lib\/menagerie$/m)
})

test('the load balancers send the headers that TRUST_PROXY needs, and check readiness', () => {
  const nginx = read('ops/nginx.conf')
  for (const header of ['X-Forwarded-For $proxy_add_x_forwarded_for', 'X-Forwarded-Proto', 'X-Forwarded-Host']) {
    assert.ok(nginx.includes(`proxy_set_header ${header}`), header)
  }
  assert.match(read('ops/Caddyfile'), /health_uri \/readyz/)
})

test('the load balancers close idle connections before the service does, and wait for the slowest reply', () => {
  const readSeconds = (file: string, name: string) =>
    Number(new RegExp(String.raw`^\s*${name} (\d+)s;?$`, 'm').exec(read(file))?.[1])
  assert.ok(readSeconds('ops/nginx.conf', 'keepalive_timeout') * 1000 < IDLE_TIMEOUT_MS)
  assert.ok(readSeconds('ops/Caddyfile', 'keepalive') * 1000 < IDLE_TIMEOUT_MS)
  assert.ok(readSeconds('ops/nginx.conf', 'proxy_read_timeout') * 1000 > imagesDefaults.replyTimeoutMs)
  for (const file of ['ops/nginx.conf', 'ops/Caddyfile']) {
    assert.ok(read(file).includes(`the ${IDLE_TIMEOUT_MS / 1000} s of the service`), file)
  }
})

test('the load balancers never treat a reply with an error status as a node that is down', () => {
  const [, retried = ''] = /^\s*proxy_next_upstream ([^;]*);/m.exec(read('ops/nginx.conf')) ?? []
  assert.deepEqual(retried.split(' '), ['error', 'timeout'])
  assert.doesNotMatch(read('ops/Caddyfile'), /unhealthy_status|retry_match/)
})
