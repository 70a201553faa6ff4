// Every command works, reports its most common mistake, and never prints a stack trace.
import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { commands } from '../../src/cli/commands/index.ts'
import { openStore } from '../../src/platform/store/index.ts'
import { commandLine } from '../kit/command-line.ts'
import { writeSettledFiles } from '../kit/content.ts'
import { createTestLog } from '../kit/log.ts'
import { tinyPng } from '../kit/pictures.ts'
import { forSuite, type Scope } from '../kit/scope.ts'
import { PATIENT } from '../kit/store.ts'

interface CommandCase {
  /** The arguments after the name: a correct call and the most common mistake. `@x` is a file of the test. */
  readonly works: string
  readonly mistake: string
  readonly message: RegExp
}

const check = (works: string, mistake: string, message: RegExp): CommandCase => ({ works, mistake, message })

/** In this order, because later commands list what earlier ones create. */
const cases: Record<string, CommandCase | 'tested elsewhere'> = {
  serve: 'tested elsewhere',
  health: 'tested elsewhere',
  init: check('@new', '@a.png', /is not a folder/),
  doctor: check('--port 0', '--jason', /Did you mean --json\?/),
  completion: check('bash', 'csh', /must be one of bash, zsh, fish/),
  login: 'tested elsewhere',
  logout: check('', 'now', /Unexpected argument/),
  'content list': check('', '--content-dir @none', /is not a folder\. Create it/),
  'content accept': check('', 'app/none', /There is no "app\/none"/),
  'content add': check('cat @a.png', 'cat @none.txt', /no such file/),
  'content remove': 'tested elsewhere',
  'content credit': 'tested elsewhere',
  'list put': check('string fortune @list.txt', 'string fortune @none.txt', /no such file/),
  'list show': check('string fortune', 'string nonesuch', /nonesuch/),
  'list remove': check('string fortune', 'string fortune', /fortune/),
  downloads: check('--days 7', '--days 0', /must be a whole number from 1/),
  usage: check('--days 7', '--days 401', /must be a whole number from 1 to 400/),
  'content check': check('', '--content-dir @none', /is not a folder/),
  'content edits': check('', '--publish --discard', /Use either/),
  'content sheet': check('cat --out @sheets', 'unicorn', /must be one of cat/),
  filter: check('invert @a.png -o @b.png', 'blur @none.png', /no such file/),
  'release publish': check(
    'launcher 1.0.0 --file @setup.exe',
    'launcher 2.0.0 --file @none.exe',
    /cannot be used: no such file or directory/,
  ),
  'release list': check('', 'luncher', /Did you mean launcher\?/),
  'release rollout': check('launcher 1.0.0 50', 'launcher 9.9.9 50', /There is no release launcher 9\.9\.9/),
  'release ramp': check('launcher 1.0.0 50,100', 'launcher 1.0.0 100,50', /must be ascending whole numbers/),
  'release pause': check('launcher 1.0.0', 'launcher 1.0.0', /is already paused/),
  'release resume': check('launcher 1.0.0', 'launcher 1.0.0', /is not paused/),
  'release report-failures': check('launcher 1.0.0 1 300', 'launcher 1.0.0 5 3', /must be two whole numbers/),
  'release withdraw': check('launcher 1.0.0', 'launcher', /<version> is missing/),
  'release restore': check('launcher 1.0.0', 'launcher 1.0.0', /is not withdrawn/),
  'release supersede': 'tested elsewhere',
  'release notes': check('launcher 1.0.0 @list.txt', 'launcher 1.0.0 @none.md', /no such file/),
  'release minimum': check('launcher 1.0.0 0.9', 'launcher 1.0.0 2', /is above version 1\.0\.0/),
  'resources publish': check('1.0.0 --file @setup.exe', '1.0.0.0.0 --file @setup.exe', /one to four numbers/),
  'resources list': check('', '1.0.0', /Unexpected argument/),
  'resources remove': 'tested elsewhere',
  'resources withdraw': check('1.0.0', '1.0.0', /is already withdrawn/),
  'resources restore': check('1.0.0', '1.0.0', /is not withdrawn/),
  'news add': check('--title Hello --text World --id hello', '--text World', /needs a title/),
  'news show': check('hello', 'nonesuch', /no news/i),
  'news edit': check('hello --title Hi', 'hello', /Use at least one|at least one/),
  'news list': check('', 'hello', /Unexpected argument "hello"/),
  'news remove': check('hello', 'hello', /no news/i),
  'tier show': check('2', '4', /must be one of 2, 3/),
  'tier set': check('2 --benefit Cake', '2', /Use at least one of --resource/),
  'history list': check('', '--limit 0', /must be a whole number above 0/),
  'history show': check('1', '999', /no change 999/),
  'history undo': 'tested elsewhere',
  'clients list': check('', '--state pendnig', /Did you mean pending\?/),
  'clients grant': check('client-1', 'client-9', /There is no client/),
  'clients refuse': check('client-2', 'client-2', /is already refused/),
  'clients revoke': check('client-1', 'client-2', /must be in state "granted"/),
  'token create': check('dashboard', 'x --expires yesterday', /must be a duration such as 12h/),
  'token list': check('', '--store-url mysql://x', /STORE_URL must be sqlite/),
  'token revoke': check('@token', 'nothing', /There is no token/),
  'ban add': check('192.0.2.7', 'example.org', /is neither an IP address/),
  'ban list': check('', '--store-url redis://127.0.0.1:1', /Redis refuses the connection/),
  'ban lift': check('192.0.2.7', '192.0.2.8', /is not banned/),
  'blocklist status': check('', '--verbose', /There is no option --verbose/),
  'blocklist check': check('a.example', '', /<host> is missing/),
  'blocklist update': check('@list.txt', '@none.txt', /was rejected|cannot be used/),
  'store status': check('', '--data-dir @a.png/data', /cannot be used/),
  'store copy': check('current sqlite:@copy.sqlite', 'current sqlite:@copy.sqlite', /with --force/),
  'store accept': check('', 'redis://127.0.0.1', /Unexpected argument/),
  'backup now': check('', '--data-dir @a.png/data', /cannot be used/),
  'backup list': check('', 'all', /Unexpected argument/),
  'backup check': check('', 'all', /Unexpected argument/),
  'backup restore': 'tested elsewhere',
  'notify test': 'tested elsewhere',
}

async function prepare(scope: Scope) {
  const cli = await commandLine(scope, { STORE_URL: '' })
  await writeSettledFiles(cli.folder, { 'a.png': tinyPng(1), 'setup.exe': 'hello', 'list.txt': 'bad.example\n' })
  const store = await openStore('', { dataDir: cli.dataDir, log: createTestLog(), ...PATIENT })
  const client = { name: 'Ann', contact: 'ann@example.org', reason: 'x', createdAt: 1, decidedAt: null, keyHash: null }
  await store.clients.put(['client-1', 'client-2'].map((id) => ({ id, state: 'pending', ...client })))
  const row = { day: new Date().toISOString().slice(0, 10), application: 'launcher', count: 1 }
  const rows = ['1.0.0', '2.0.0'].map((version) => ({ ...row, version }))
  await store.downloads.add({ writer: 'a test', number: 1, rows })
  await store.close()
  const toArguments = (text: string) =>
    text
      .replaceAll('@', `${cli.folder}/`)
      .split(' ')
      .filter((word) => word !== '')
  return { ...cli, toArguments }
}

test('the table contains every command', () => {
  assert.deepEqual(Object.keys(cases).sort(), commands.map(({ name }) => name).sort())
})

describe('each command', () => {
  const open = forSuite(prepare)
  const groups = new Set<string | undefined>()
  for (const [name, commandCase] of Object.entries(cases)) {
    if (typeof commandCase === 'string') continue
    const [group] = name.split(' ')
    // The commands of a group are in one file: only the first runs in a process of its own, which is slower.
    const hasOwnProcess = !groups.has(group)
    groups.add(group)
    test(`"${name}" works, and explains the mistake "${commandCase.mistake}"`, async () => {
      const { toArguments, program, ...cli } = open()
      const { tokens } = name === 'token revoke' ? await cli.json('token', 'list') : { tokens: [] }
      const text = commandCase.works.replace('@token', tokens[0]?.id)
      const result = await (hasOwnProcess ? program : cli).json(...name.split(' '), ...toArguments(text))
      assert.ok(Object.keys(result).length > 1, 'the JSON contains more than "success"')
      assert.match(await cli.fail(...name.split(' '), ...toArguments(commandCase.mistake)), commandCase.message)
    })
  }
})

test('"downloads --csv" prints one line per row, and nothing else', async (t) => {
  const { stdout } = await (await prepare(t)).run('downloads', '--csv')
  assert.match(stdout, /^day,application,version,count\n\S+,launcher,1\.0\.0,1\n\S+,launcher,2\.0\.0,1\n$/)
})

test('"usage" without requests prints only a note', async (t) => {
  const result = await (await commandLine(t)).run('usage')
  assert.deepEqual(result, { code: 0, stdout: '', stderr: 'There were no requests.\n' })
})

describe('with wrong folders, a wrong store or an invalid setting', () => {
  const open = forSuite(async (scope) => {
    const cli = await prepare(scope)
    await mkdir(cli.file('app'))
    await writeFile(cli.file('file'), 'not a folder')
    return cli
  })
  const invalidSetups: Record<string, string> = {
    'the folders are files': '--content-dir @file --data-dir @file/data',
    'the folders are missing and the store cannot be created': '--content-dir @none --store-url sqlite:@file/x',
    'a setting is invalid': '--port http',
  }
  for (const { name, settings } of commands) {
    const commandCase = cases[name]
    const usesNoSettings = settings?.length === 0
    if (typeof commandCase !== 'object' || usesNoSettings) continue
    test(`"${name}" prints a message and JSON, but no stack trace`, async () => {
      const { run, toArguments } = open()
      for (const [what, flags] of Object.entries(invalidSetups)) {
        const args = [...new Set([...toArguments(commandCase.works), ...toArguments(flags)])]
        const { code, stdout, stderr } = await run(...name.split(' '), ...args, '--json')
        assert.ok([0, 1, 2].includes(code), what)
        assert.equal(typeof JSON.parse(stdout).success, 'boolean', what)
        assert.doesNotMatch(stdout + stderr, /This is a bug|\n +at /, what)
        if (code !== 0 && name !== 'doctor') assert.match(stderr, /^menagerie: .+/, what)
      }
    })
  }
})
