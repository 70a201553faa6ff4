// The deployment files match the repository.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { BlockList } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { parse } from 'yaml'
import { commands } from '../../src/cli/commands/index.ts'
import { settings } from '../../src/config/config.ts'
import { imagesDefaults } from '../../src/features/images/index.ts'
import { IDLE_TIMEOUT_MS, REPLY_TIMEOUT_MS } from '../../src/http/kernel/timeouts.ts'
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

const COMPOSE_FILES = ['compose.yaml', 'compose.cluster.yaml']
const readCompose = (file: string) => parse(read(file), { merge: true })

test('both compose files are valid by the schema of Compose, which rejects unknown fields', () => {
  const schema = JSON.parse(read('node_modules/dclint/schemas/compose.schema.json'))
  const ajv = new Ajv({ strict: false, allErrors: true })
  addFormats.default(ajv)
  const validate = ajv.compile({ ...schema, $schema: undefined })
  for (const file of COMPOSE_FILES)
    assert.ok(validate(readCompose(file)), `${file}: ${ajv.errorsText(validate.errors)}`)
  const { services } = readCompose('compose.yaml')
  assert.ok(!validate({ services: { menagerie: { ...services.menagerie, readonly: true } } }))
})

test('the compose files use existing settings, fixed images and few rights, and contain no secrets', () => {
  assert.ok(read('.gitignore').split('\n').includes('compose.env'))
  for (const file of COMPOSE_FILES) {
    const { services, volumes } = readCompose(file)
    const { prometheus, ...others } = services
    assert.deepEqual(prometheus.profiles, ['metrics'])
    const used = Object.values<any>(services).flatMap((service) =>
      service.volumes.map((text: string) => text.split(':')[0]),
    )
    assert.deepEqual(Object.keys(volumes).sort(), [...new Set(used)].filter((name) => !/^\./.test(name)).sort())
    for (const [name, service] of Object.entries<any>(others)) {
      assert.deepEqual(service.cap_drop, ['ALL'], name)
      if (!name.startsWith('menagerie')) {
        assert.match(service.image, /:v?\d/)
        continue
      }
      for (const setting of Object.keys(service.environment)) assert.ok(isSetting(setting), setting)
      assert.deepEqual(service.env_file, [{ path: 'compose.env', required: false }])
      assert.deepEqual([service.read_only, service.tmpfs], [true, ['/tmp']])
      assert.equal(service.environment.METRICS_ALLOW, prometheus.networks.default.ipv4_address)
    }
  }
})

test('compose.yaml needs no settings, and trusts a proxy on the host', () => {
  const { services, networks } = readCompose('compose.yaml')
  assert.deepEqual(Object.keys(services), ['menagerie', 'prometheus'])
  assert.doesNotMatch(read('compose.yaml'), /\$\{\w+:\?/)
  const { gateway } = networks.default.ipam.config[0]
  assert.equal(services.menagerie.environment.TRUST_PROXY, `\${TRUST_PROXY-${gateway}}`)
  // Programs of other machines could send forwarded headers through the gateway.
  assert.match(services.menagerie.ports[0], /:-127\.0\.0\.1:4010\}:4010$/)
})

test('the nodes of compose.cluster.yaml share Redis and content, and trust only the proxy in front of them and its gateway', () => {
  const { services, networks } = readCompose('compose.cluster.yaml')
  const { proxy, redis, prometheus, ...nodes } = services
  const names = Object.keys(nodes)
  assert.ok(names.length >= 2)
  const volumes = names.map((name) => nodes[name].volumes)
  assert.equal(new Set(volumes.map(([data]) => data)).size, names.length, 'each node has its own data folder')
  assert.equal(new Set(volumes.map(([, content]) => content)).size, 1)
  for (const node of Object.values<any>(nodes)) {
    const { STORE_URL, CONTENT_SYNC, TRUST_PROXY, STOP_GRACE_SECONDS } = node.environment
    assert.match(STORE_URL, /^redis:\/\/:\$\{REDIS_PASSWORD:\?.*\}@redis:6379$/)
    assert.deepEqual([CONTENT_SYNC, STOP_GRACE_SECONDS], ['shared', 5])
    const [caddy, gateway] = [proxy.networks.default.ipv4_address, networks.default.ipam.config[0].gateway]
    assert.equal(TRUST_PROXY, `${caddy} ${gateway} \${TRUSTED_PROXIES:-}`)
    assert.equal(node.ports, undefined, 'only the proxy can be reached')
    assert.deepEqual(node.depends_on, { redis: { condition: 'service_healthy' } })
  }
  const addresses = names.map((name) => `${name}:4010`)
  assert.equal(proxy.environment.NODES, addresses.join(' '))
  assert.match(read('ops/Caddyfile'), /^\{\$SITE:\S+\} \{$[\s\S]*reverse_proxy \{\$NODES:/m)
  assert.match(read('compose.cluster.yaml'), new RegExp(`targets: \\['${addresses.join("', '")}'\\]`))
  assert.ok(redis.healthcheck && redis.command.includes('--appendonly'))
  assert.equal(redis.ports, undefined)
  // As root without CAP_DAC_READ_SEARCH its start script fails once `appendonlydir` (mode 0700) exists: at each restart.
  assert.deepEqual([redis.user, redis.cap_add], ['valkey', undefined])
  // Docker gives other containers addresses of this range only.
  const range = new BlockList()
  const [base, bits] = networks.default.ipam.config[0].ip_range.split('/')
  range.addSubnet(base, Number(bits))
  for (const { networks: own } of [proxy, prometheus]) assert.ok(!range.check(own.default.ipv4_address))
})

test('ports that the comments of the compose files open to the internet are IPv4 only', () => {
  // Docker forwards the IPv6 clients of other ports from one address: they would share one limit.
  const examples = COMPOSE_FILES.flatMap((file) => read(file).match(/(?<=^# .*)\b(?:PUBLISH|HTTPS?)=\S+/gm) ?? [])
  assert.deepEqual(examples, ['PUBLISH=0.0.0.0:4010', 'HTTP=0.0.0.0:80', 'HTTPS=0.0.0.0:443'])
})

test('the systemd unit runs in a sandbox as a separate user, and reloads without downtime', () => {
  const unit = read('ops/systemd/menagerie.service')
  const lines = ['DynamicUser=yes', 'ProtectSystem=strict', 'StateDirectory=menagerie', 'NoNewPrivileges=yes']
  const restarts = [
    'Restart=on-failure',
    'StartLimitIntervalSec=0',
    'RestartForceExitStatus=SIGHUP',
    'OOMPolicy=continue',
  ]
  for (const line of [...lines, ...restarts, 'ExecReload=/bin/kill -HUP $MAINPID', 'KillMode=mixed']) {
    assert.ok(unit.split('\n').includes(line), line)
  }
  assert.match(unit, /^ExecStart=\S+ \/opt\/menagerie\/scripts\/menagerie\.mjs serve$/m)
  // The defaults of CONTENT_DIR and DATA_DIR are below it, where the service may write.
  assert.match(unit, /^WorkingDirectory=\/var\/lib\/menagerie$/m)
})

test('Caddy and the nodes of compose.cluster.yaml trust the CDN that TRUSTED_PROXIES names', () => {
  const { services } = readCompose('compose.cluster.yaml')
  const { TRUSTED_PROXIES } = services.proxy.environment
  assert.equal(TRUSTED_PROXIES, `\${TRUSTED_PROXIES:-}`)
  for (const name of ['menagerie', 'menagerie-2']) {
    const trusted: string = services[name].environment.TRUST_PROXY
    const list: string = trusted.replace(TRUSTED_PROXIES, '203.0.113.0/24 2001:db8::/32')
    assert.deepEqual(settings.TRUST_PROXY.parse(list)?.slice(-2), ['203.0.113.0/24', '2001:db8::/32'])
    assert.deepEqual(settings.TRUST_PROXY.parse(trusted.replace(TRUSTED_PROXIES, ''))?.length, 2)
  }
})

test('Caddy of compose.cluster.yaml uses the ports of closed connections again after a second', () => {
  assert.equal(readCompose('compose.cluster.yaml').services.proxy.sysctls['net.ipv4.tcp_tw_reuse'], 1)
})

test('the load balancers close idle connections before the service does, and wait for the slowest reply', () => {
  const readSeconds = (file: string, name: string) =>
    Number(new RegExp(String.raw`^\s*${name} (\d+)s;?$`, 'm').exec(read(file))?.[1])
  assert.ok(readSeconds('ops/nginx.conf', 'keepalive_timeout') * 1000 < IDLE_TIMEOUT_MS)
  assert.ok(readSeconds('ops/Caddyfile', 'keepalive') * 1000 < IDLE_TIMEOUT_MS)
  assert.ok(readSeconds('ops/nginx.conf', 'proxy_read_timeout') * 1000 > REPLY_TIMEOUT_MS)
  assert.ok(REPLY_TIMEOUT_MS > imagesDefaults.replyTimeoutMs)
  for (const file of ['ops/nginx.conf', 'ops/Caddyfile']) {
    assert.ok(read(file).includes(`the ${IDLE_TIMEOUT_MS / 1000} s of the service`), file)
  }
})

test('idle connections do not use up the open files of nginx, which then closes them for new ones', () => {
  const readNumber = (name: string) =>
    Number(new RegExp(`^\\s*${name} (\\d+);$`, 'm').exec(read('ops/nginx.conf'))?.[1])
  assert.ok(readNumber('worker_rlimit_nofile') >= 2 * readNumber('worker_connections'))
})
