// Every command does its work, refuses its commonest mistake, and never answers with a stack; a new one must be added.
import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { commands } from '../../src/cli/commands/index.ts'
import { openStore } from '../../src/platform/store/index.ts'
import { commandLine } from '../kit/command-line.ts'
import { place } from '../kit/content.ts'
import { rememberingLog } from '../kit/log.ts'
import { tinyPng } from '../kit/pictures.ts'
import { ROOT } from '../kit/root.ts'
import { forSuite, type Scope } from '../kit/scope.ts'

interface Use {
  /** What follows the name: once as it is meant, once with the commonest mistake. `@x` is a file of the test. */
  readonly works: string
  readonly mistake: string
  readonly says: RegExp
}

const use = (works: string, mistake: string, says: RegExp): Use => ({ works, mistake, says })

/** In this order: what one makes, the next lists. Those that need a running service have tests of their own. */
const uses: Record<string, Use | 'in a test of its own'> = {
  serve: 'in a test of its own',
  health: 'in a test of its own',
  init: use('@new', '@a.png', /is not a folder/),
  doctor: use('--port 0', '--jason', /did you mean --json\?/),
  completion: use('bash', 'csh', /must be one of bash, zsh, fish/),
  'content list': use('', '--content-dir @none', /is not a folder; make it first/),
  'content add': use('cat @a.png', 'cat @none.txt', /does not exist/),
  'content check': use('', '--content-dir @none', /is not a folder/),
  'content sheet': use('cat --out @sheets', 'unicorn', /must be one of cat/),
  filter: use('invert @a.png -o @b.png', 'blur @none.png', /does not exist/),
  'release publish': use(
    'launcher 1.0.0 --file @setup.exe',
    'launcher 2.0.0 --file @none.exe',
    /cannot be used: it does not exist/,
  ),
  'release list': use('', 'luncher', /did you mean launcher\?/),
  'release rollout': use('launcher 1.0.0 50', 'launcher 9.9.9 50', /There is no launcher 9\.9\.9/),
  'release withdraw': use('launcher 1.0.0', 'launcher', /<version> is missing/),
  'resources publish': use('1.0.0 --file @setup.exe', '1.0 --file @setup.exe', /semantic version/),
  'news add': use('--title Hello --text World --id hello', '--text World', /need a title/),
  'news list': use('', 'hello', /one argument too many/),
  'news remove': use('hello', 'hello', /no news/i),
  'tier show': use('2', '4', /must be one of 2, 3/),
  'tier set': use('2 --benefit Cake', '2', /Nothing is to be changed/),
  'clients list': use('', '--state aksed', /did you mean asked\?/),
  'clients grant': use('client-1', 'client-9', /There is no client/),
  'clients refuse': use('client-2', 'client-2', /is already refused/),
  'clients revoke': use('client-1', 'client-2', /cannot become "revoked"/),
  'token create': use('dashboard', 'x --expires yesterday', /must be a span such as 90d/),
  'token list': use('', '--store-url mysql://x', /STORE_URL must be sqlite/),
  'token revoke': use('@token', 'nothing', /There is no token/),
  'ban add': use('192.0.2.7', 'example.org', /is no IP address/),
  'ban list': use('', '--store-url redis://127.0.0.1:1', /Redis refuses the connection/),
  'ban lift': use('192.0.2.7', '192.0.2.8', /is not banned/),
  'blocklist status': use('', '--verbose', /There is no option --verbose/),
  'blocklist check': use('a.example', '', /<host> is missing/),
  'blocklist update': use('@list.txt', '@none.txt', /was not taken|cannot be used/),
  'store status': use('', '--data-dir @a.png/data', /cannot be used/),
  'store copy': use('current sqlite:@copy.sqlite', 'current sqlite:@copy.sqlite', /with --force it is emptied/),
}

async function prepared(scope: Scope) {
  const line = await commandLine(scope, { STORE_URL: '' })
  await place(line.folder, { 'a.png': tinyPng(1), 'setup.exe': 'hello', 'list.txt': 'bad.example\n' })
  const store = openStore('', { dataDir: line.dataDir, log: rememberingLog() })
  const known = { name: 'Ann', contact: 'ann@example.org', reason: 'x', createdAt: 1, decidedAt: null, keyHash: null }
  await store.clients.put(['client-1', 'client-2'].map((id) => ({ id, state: 'asked', ...known })))
  await store.close()
  const files = (words: string) =>
    words
      .replaceAll('@', `${line.folder}/`)
      .split(' ')
      .filter((word) => word !== '')
  return { ...line, files }
}

test('the table has every command', () => {
  assert.deepEqual(Object.keys(uses).sort(), commands.map(({ name }) => name).sort())
})

describe('each command', () => {
  const open = forSuite(prepared)
  for (const [name, told] of Object.entries(uses)) {
    if (typeof told === 'string') continue
    test(`"${name}" works, says so in JSON and in words, and refuses "${told.mistake}"`, async () => {
      const { here, files } = open()
      const { tokens } = name === 'token revoke' ? await here.json('token', 'list') : { tokens: [] }
      const words = told.works.replace('@token', tokens[0]?.id)
      const done = await here.json(...name.split(' '), ...files(words))
      assert.ok(Object.keys(done).length > 1, 'JSON tells more than success')
      assert.match(await here.refusal(...name.split(' '), ...files(told.mistake)), told.says)
      const help = await here.run(...name.split(' '), '--help')
      assert.ok(help.code === 0 && help.stdout.includes(`Usage: menagerie ${name}`) && help.stdout.includes('--json'))
    })
  }
})

test('docs/commands.md has each command', async () => {
  const text = await readFile(join(ROOT, 'docs', 'commands.md'), 'utf8')
  for (const { name, summary } of commands) assert.ok(text.includes(`## ${name}\n\n\`\`\`text\n${summary}`), name)
})

describe('where nothing is as it should be', () => {
  const open = forSuite(async (scope) => {
    const line = await prepared(scope)
    await mkdir(join(line.folder, 'app'))
    await writeFile(join(line.folder, 'file'), 'in the way')
    return line
  })
  const surroundings: Record<string, string> = {
    'the folders are files': '--content-dir @file --data-dir @file/data',
    'the folders are missing and the store cannot be made': '--content-dir @none --store-url sqlite:@file/x',
    'a setting is wrong': '--port http',
  }
  for (const [name, told] of Object.entries(uses)) {
    if (typeof told === 'string') continue
    test(`"${name}" has a sentence and JSON for it, and no stack`, async () => {
      const { here, files } = open()
      for (const [what, flags] of Object.entries(surroundings)) {
        const given = [...files(told.works), ...files(flags)].filter((word, index, all) => all.indexOf(word) === index)
        const { code, stdout, stderr } = await here.run(...name.split(' '), ...given, '--json')
        assert.ok([0, 1, 2].includes(code), what)
        assert.equal(typeof JSON.parse(stdout).success, 'boolean', what)
        assert.doesNotMatch(stdout + stderr, /This is a bug|\n +at /, what)
        if (code !== 0 && name !== 'doctor') assert.match(stderr, /^menagerie: .+/, what)
      }
    })
  }
})
