import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFile, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { loadSettings } from '../../src/cli/load-settings.ts'
import { listSettings, readConfig } from '../../src/config/config.ts'
import { temporaryFolder } from '../kit/folder.ts'
import { PROGRAM, ROOT } from '../kit/root.ts'

test('every default follows its own rule', () => {
  const config = readConfig({})
  assert.equal(config.HOST, '127.0.0.1')
  assert.equal(config.PORT, 4010)
  assert.equal(config.DATA_DIR, resolve('./data'))
  assert.deepEqual(config.TRUST_PROXY, [])
  assert.deepEqual(config.RATE_LIMIT, { count: 600, seconds: 60 })
})

const invalid: [string, string][] = [
  ['PORT', 'abc'],
  ['PORT', '65536'],
  ['PORT', '-1'],
  ['PORT', '1e3'],
  ['PORT', ''],
  ['HOST', 'a b'],
  ['PUBLIC_URL', 'animals.example'],
  ['PUBLIC_URL', 'ftp://animals.example'],
  ['PUBLIC_URL', 'https://a.example/?x=1'],
  ['PUBLIC_URL', 'https://user:pass@a.example'],
  ['TRUST_PROXY', '10.0.0.0/33'],
  ['TRUST_PROXY', '1'],
  ['LOG_LEVEL', 'loud'],
  ['LOG_FILES', '0'],
  ['RATE_LIMIT', '10'],
  ['RATE_LIMIT', '0/60'],
  ['APP_NAME', ''],
  ['APP_NAME', 'a/b'],
  ['FILTER_ALLOW_HOSTS', 'http://a'],
  ['FILTER_ALLOW_HOSTS', 'localhost:65536'],
  ['FILTER_ALLOW_HOSTS', 'a^b:80'],
  ['FILTER_PORTS', ''],
  ['FILTER_PORTS', '0'],
  ['FILTER_PORTS', '443,http'],
  ['FILTER_PORTS', '9000-8000'],
  ['FILTER_PORTS', '1024-65536'],
  ['BAN_WRONG_TOKENS', '5'],
  ['BLOCKLIST_URL', 'lists.example/domains.txt'],
  ['BLOCKLIST_URL', 'https://['],
  ['NOTIFY_URLS', 'hooks.example/a'],
  ['SECURITY_CONTACT', 'http://pets.example/report'],
  ['SECURITY_CONTACT', 'security@pets.example\nContact: mailto:b@pets.example'],
  ['SECURITY_LANGUAGES', 'English'],
  ['NOTIFY_URLS', 'https://hooks.example/a,slack+https://hooks.example/b'],
  ['METRICS_ALLOW', 'everyone'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://['],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'nonsense'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'key=%'],
  ['OTEL_TRACES_SAMPLER_ARG', '2'],
]
for (const [name, value] of invalid) {
  test(`${name}=${value || '(empty)'} is rejected with the name and the rule`, () => {
    assert.throws(() => readConfig({ [name]: value }), new RegExp(`^Error: ${name} must be `))
  })
}

test('an empty OpenTelemetry variable counts as unset', () => {
  const { OTEL_TRACES_SAMPLER, OTEL_SDK_DISABLED, OTEL_BSP_SCHEDULE_DELAY, OTEL_RESOURCE_ATTRIBUTES } = readConfig({
    OTEL_TRACES_SAMPLER: '',
    OTEL_SDK_DISABLED: '',
    OTEL_BSP_SCHEDULE_DELAY: '',
    OTEL_RESOURCE_ATTRIBUTES: '',
  })
  assert.deepEqual([OTEL_TRACES_SAMPLER, OTEL_SDK_DISABLED], ['parentbased_always_on', 'false'])
  assert.deepEqual([OTEL_BSP_SCHEDULE_DELAY, OTEL_RESOURCE_ATTRIBUTES], [5000, {}])
})

test('messages never contain the value of a secret setting', () => {
  assert.throws(
    () => readConfig({ STORE_URL: 'mysql://user:hunter2@host' }),
    (error: Error) => {
      assert.match(error.message, /^STORE_URL must be/)
      assert.doesNotMatch(error.message, /hunter2/)
      return true
    },
  )
})

test('all invalid settings are reported at once', () => {
  assert.throws(() => readConfig({ PORT: 'x', LOG_LEVEL: 'y' }), /PORT must be[\s\S]*LOG_LEVEL must be/)
})

test('a list of addresses may contain CIDRs and "loopback"', () => {
  assert.deepEqual(readConfig({ TRUST_PROXY: 'loopback, 10.0.0.0/8 ,2001:db8::1' }).TRUST_PROXY, [
    '127.0.0.0/8',
    '::1/128',
    '10.0.0.0/8',
    '2001:db8::1',
  ])
})

test('keys and values of pairs are percent-decoded', () => {
  const { OTEL_RESOURCE_ATTRIBUTES } = readConfig({ OTEL_RESOURCE_ATTRIBUTES: 'a%3Db = c%2Cd=e,f=' })
  assert.deepEqual(OTEL_RESOURCE_ATTRIBUTES, { 'a=b': 'c,d=e', f: '' })
})

test('a list of ports may contain ranges', () => {
  assert.deepEqual(readConfig({ FILTER_PORTS: '443, 8000-8999' }).FILTER_PORTS, [
    [443, 443],
    [8000, 8999],
  ])
})

test('an unknown name in .env is rejected with a suggestion', async (t) => {
  const file = join(await temporaryFolder(t), '.env')
  await writeFile(file, 'PROT=80\nLOG_LEVEL=warn\n')
  const [problem] = loadSettings({}, {}, file).problems
  assert.match(problem?.message ?? '', /PROT, which is not a setting\. Did you mean PORT\?/)
  await writeFile(file, '# comment\nPORT="80"\n')
  const { problems, config } = loadSettings({}, {}, file)
  assert.deepEqual([problems, config.PORT], [[], 80])
})

test('a .env that is a link to nowhere is an error, not a service without settings', async (t) => {
  const file = join(await temporaryFolder(t), '.env')
  assert.deepEqual(loadSettings({}, {}, file).problems, [])
  await symlink('settings-on-a-disk-that-is-not-mounted', file)
  assert.match(loadSettings({}, {}, file).problems[0]?.message ?? '', /\.env cannot be used: no such file/)
})

test('a line of .env without "=" is rejected with file and line, and without its value', async (t) => {
  const file = join(await temporaryFolder(t), '.env')
  const lines = [
    '# A: comment',
    'PUBLIC_URL="',
    'a multi-line value',
    '"',
    'V5_ACCESS: registered',
    '',
    'secret',
    'PORT=80',
  ]
  await writeFile(file, lines.join('\n'))
  const { problems, config } = loadSettings({}, {}, file)
  assert.deepEqual(
    problems.slice(0, 2).map(({ message }) => message),
    [`${file}:5 has no "=". Write V5_ACCESS=value.`, `${file}:7 has no "=". Write NAME=value.`],
  )
  assert.deepEqual([problems.length, config.PORT], [3, 80])
})

test('.env.example contains every setting and is a valid .env file', async () => {
  const file = join(ROOT, '.env.example')
  const text = await readFile(file, 'utf8')
  for (const [name] of listSettings()) assert.match(text, new RegExp(`^# ?${name}=`, 'm'))
  const { problems, namesInFile: inFile } = loadSettings({}, {}, file)
  assert.deepEqual([problems, inFile], [[], []])
})

test('an invalid setting stops the start with a message', () => {
  const { status, stderr } = spawnSync(process.execPath, [PROGRAM, 'serve', '--port', 'http'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  assert.equal(status, 1)
  assert.equal(stderr, 'menagerie: PORT must be a whole number from 0 to 65535, not "http".\n')
})

test('"serve --help" lists every setting with its rule', () => {
  const { status, stdout } = spawnSync(process.execPath, [PROGRAM, 'serve', '--help'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  assert.equal(status, 0)
  for (const [name, { help, rule }] of listSettings()) {
    assert.ok(stdout.includes(name) && stdout.includes(help) && stdout.includes(rule), name)
  }
})
