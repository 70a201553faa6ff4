// Every command works, reports its most common mistake, and never prints a stack.
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

interface Use {
  /** The words after the name: a correct call and the most common mistake. `@x` is a file of the test. */
  readonly works: string
  readonly mistake: string
  readonly message: RegExp
}

const use = (works: string, mistake: string, message: RegExp): Use => ({ works, mistake, message })

/** In this order, because later commands list what earlier ones create. */
const uses: Record<string, Use | 'needs a running service'> = {
  serve: 'needs a running service',
  health: 'needs a running service',
  init: use('@new', '@a.png', /is not a folder/),
  doctor: use('--port 0', '--jason', /Did you mean --json\?/),
  completion: use('bash', 'csh', /must be one of bash, zsh, fish/),
  'content list': use('', '--content-dir @none', /is not a folder\. Create it/),
  'content add': use('cat @a.png', 'cat @none.txt', /no such file/),
  'content check': use('', '--content-dir @none', /is not a folder/),
  'content sheet': use('cat --out @sheets', 'unicorn', /must be one of cat/),
  filter: use('invert @a.png -o @b.png', 'blur @none.png', /no such file/),
  'release publish': use(
    'launcher 1.0.0 --file @setup.exe',
    'launcher 2.0.0 --file @none.exe',
    /cannot be used: no such file or directory/,
  ),
  'release list': use('', 'luncher', /Did you mean launcher\?/),
  'release rollout': use('launcher 1.0.0 50', 'launcher 9.9.9 50', /There is no release launcher 9\.9\.9/),
  'release withdraw': use('launcher 1.0.0', 'launcher', /<version> is missing/),
  'resources publish': use('1.0.0 --file @setup.exe', '1.0 --file @setup.exe', /semantic version/),
  'news add': use('--title Hello --text World --id hello', '--text World', /needs a title/),
  'news list': use('', 'hello', /Unexpected argument "hello"/),
  'news remove': use('hello', 'hello', /no news/i),
  'tier show': use('2', '4', /must be one of 2, 3/),
  'tier set': use('2 --benefit Cake', '2', /Use at least one of --resource/),
  'clients list': use('', '--state aksed', /Did you mean asked\?/),
  'clients grant': use('client-1', 'client-9', /There is no client/),
  'clients refuse': use('client-2', 'client-2', /is already refused/),
  'clients revoke': use('client-1', 'client-2', /must be in state "granted"/),
  'token create': use('dashboard', 'x --expires yesterday', /must be a time such as 12h/),
  'token list': use('', '--store-url mysql://x', /STORE_URL must be sqlite/),
  'token revoke': use('@token', 'nothing', /There is no token/),
  'ban add': use('192.0.2.7', 'example.org', /is neither an IP address/),
  'ban list': use('', '--store-url redis://127.0.0.1:1', /Redis refuses the connection/),
  'ban lift': use('192.0.2.7', '192.0.2.8', /is not banned/),
  'blocklist status': use('', '--verbose', /There is no option --verbose/),
  'blocklist check': use('a.example', '', /<host> is missing/),
  'blocklist update': use('@list.txt', '@none.txt', /was rejected|cannot be used/),
  'store status': use('', '--data-dir @a.png/data', /cannot be used/),
  'store copy': use('current sqlite:@copy.sqlite', 'current sqlite:@copy.sqlite', /with --force/),
}

async function prepare(scope: Scope) {
  const line = await commandLine(scope, { STORE_URL: '' })
  await writeSettledFiles(line.folder, { 'a.png': tinyPng(1), 'setup.exe': 'hello', 'list.txt': 'bad.example\n' })
  const store = await openStore('', { dataDir: line.dataDir, log: createTestLog() })
  const client = { name: 'Ann', contact: 'ann@example.org', reason: 'x', createdAt: 1, decidedAt: null, keyHash: null }
  await store.clients.put(['client-1', 'client-2'].map((id) => ({ id, state: 'asked', ...client })))
  await store.close()
  const toWords = (text: string) =>
    text
      .replaceAll('@', `${line.folder}/`)
      .split(' ')
      .filter((word) => word !== '')
  return { ...line, toWords }
}

test('the table contains every command', () => {
  assert.deepEqual(Object.keys(uses).sort(), commands.map(({ name }) => name).sort())
})

describe('each command', () => {
  const open = forSuite(prepare)
  const groups = new Set<string | undefined>()
  for (const [name, usage] of Object.entries(uses)) {
    if (typeof usage === 'string') continue
    const [group] = name.split(' ')
    // The commands of a group are in one file: only the first runs in a process of its own, which is slower.
    const hasOwnProcess = !groups.has(group)
    groups.add(group)
    test(`"${name}" works, and explains the mistake "${usage.mistake}"`, async () => {
      const { toWords, program, ...line } = open()
      const { tokens } = name === 'token revoke' ? await line.json('token', 'list') : { tokens: [] }
      const words = usage.works.replace('@token', tokens[0]?.id)
      const result = await (hasOwnProcess ? program : line).json(...name.split(' '), ...toWords(words))
      assert.ok(Object.keys(result).length > 1, 'the JSON contains more than "success"')
      assert.match(await line.fail(...name.split(' '), ...toWords(usage.mistake)), usage.message)
    })
  }
})

describe('with wrong folders, a wrong store or an invalid setting', () => {
  const open = forSuite(async (scope) => {
    const line = await prepare(scope)
    await mkdir(line.file('app'))
    await writeFile(line.file('file'), 'not a folder')
    return line
  })
  const surroundings: Record<string, string> = {
    'the folders are files': '--content-dir @file --data-dir @file/data',
    'the folders are missing and the store cannot be created': '--content-dir @none --store-url sqlite:@file/x',
    'a setting is invalid': '--port http',
  }
  for (const { name, settings } of commands) {
    const usage = uses[name]
    const usesNoSettings = settings?.length === 0
    if (typeof usage !== 'object' || usesNoSettings) continue
    test(`"${name}" prints a message and JSON, but no stack`, async () => {
      const { run, toWords } = open()
      for (const [what, flags] of Object.entries(surroundings)) {
        const words = [...new Set([...toWords(usage.works), ...toWords(flags)])]
        const { code, stdout, stderr } = await run(...name.split(' '), ...words, '--json')
        assert.ok([0, 1, 2].includes(code), what)
        assert.equal(typeof JSON.parse(stdout).success, 'boolean', what)
        assert.doesNotMatch(stdout + stderr, /This is a bug|\n +at /, what)
        if (code !== 0 && name !== 'doctor') assert.match(stderr, /^menagerie: .+/, what)
      }
    })
  }
})
