// The words of the command line: help, and a sentence for every mistake.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Command, UsageError } from '../../src/cli/command.ts'
import { commands } from '../../src/cli/commands/index.ts'
import { findCommand } from '../../src/cli/find.ts'
import { commandHelp } from '../../src/cli/help.ts'
import { commonOptions, parseCommand } from '../../src/cli/parse.ts'
import { listSettings } from '../../src/config/config.ts'
import { scopes } from '../../src/features/access/index.ts'
import { artistKinds } from '../../src/features/content/index.ts'
import { filters } from '../../src/features/filters/index.ts'
import { outputFormats } from '../../src/features/images/engine/index.ts'
import { applications, tiers } from '../../src/features/releases/index.ts'
import { commandLine } from '../kit/command-line.ts'
import { forSuite } from '../kit/scope.ts'
import { wordsOf } from '../kit/shell-words.ts'

for (const command of commands) {
  test(`"${command.name}" is told by its help, and its examples can be typed`, () => {
    const help = commandHelp(command)
    for (const { name, help: words } of command.arguments ?? []) assert.ok(help.includes(`<${name}>`) && words, name)
    for (const [name, { help: words }] of Object.entries(command.options ?? {})) {
      assert.ok(help.includes(`--${name}`) && words.endsWith('.'), name)
    }
    assert.ok(command.summary.endsWith('.') && (command.examples?.length ?? 0) > 0)
    for (const example of command.examples ?? []) {
      const found = findCommand(commands, wordsOf(example))
      assert.ok(typeof found === 'object' && 'command' in found && found.command === command, example)
      assert.doesNotThrow(() => parseCommand(command, found.rest).args(), example)
    }
  })
}

test('no option is called like a setting or an option of all commands', () => {
  const taken = [
    ...listSettings().map(([name]) => name.toLowerCase().replaceAll('_', '-')),
    ...Object.keys(commonOptions),
  ]
  const own = commands.flatMap(({ options = {} }) => Object.keys(options))
  assert.deepEqual(
    own.filter((name) => taken.includes(name)),
    [],
  )
  assert.equal(new Set(commands.map(({ name }) => name)).size, commands.length)
})

test('what can be chosen from is what the services know', () => {
  const choices = (name: string, what: string) => {
    const command = commands.find((candidate) => candidate.name === name)
    const argument = command?.arguments?.find((candidate) => candidate.name === what)
    return (argument ?? command?.options?.[what])?.choices
  }
  assert.deepEqual(choices('release publish', 'application'), applications)
  assert.deepEqual(choices('release list', 'application'), applications)
  assert.deepEqual(choices('tier set', 'tier'), tiers)
  assert.deepEqual(choices('content sheet', 'kinds'), artistKinds)
  assert.deepEqual(choices('token create', 'scope'), scopes)
  assert.deepEqual(
    choices('filter', 'filter'),
    filters.map(({ name }) => name),
  )
  assert.deepEqual(choices('filter', 'output'), outputFormats)
  const { help = '' } = commands.find(({ name }) => name === 'filter')?.options?.strength ?? {}
  for (const { name, strength } of filters.filter(({ strength }) => strength)) {
    assert.ok(help.includes(`${name} ${strength?.min} to ${strength?.max} (${strength?.default})`), name)
  }
})

describe('mistakes in the words', () => {
  const command: Command = {
    name: 'paint house',
    summary: 'Paints.',
    arguments: [
      { name: 'colour', help: 'The colour.', choices: ['red', 'green'] },
      { name: 'walls', help: 'Which.', optional: true },
    ],
    options: {
      coats: { type: 'string', value: 'number', help: 'How many.' },
      'dry-run': { type: 'boolean', help: 'Only looks.' },
      friend: { type: 'string', multiple: true, help: 'Who helps.' },
    },
    run: async () => undefined,
  }
  const mistakes: [words: string, sentence: RegExp][] = [
    ['', /^<colour> is missing \(The colour\): menagerie paint house <colour> \[<walls>\] \[options\]$/],
    ['red all more', /^"more" is one argument too many: menagerie paint house/],
    ['rad', /^<colour> must be one of red, green, not "rad"; did you mean red\?$/],
    ['red --coast 3', /^There is no option --coast; did you mean --coats\?$/],
    ['red --dryrun', /^There is no option --dryrun; did you mean --dry-run\?$/],
    ['red --data-dri x', /^There is no option --data-dri; did you mean --data-dir\?$/],
    ['red -x', /^There is no option -x\.$/],
    ['red --coats', /^--coats needs a value: --coats <number>\.$/],
    ['red --coats --dry-run', /^--coats needs a value/],
    ['red --coats 1 --coats 2', /^--coats is given twice\.$/],
    ['red --dry-run=yes', /^--dry-run takes no value\.$/],
    ['red --__proto__', /^There is no option --__proto__\.$/],
  ]
  for (const [words, sentence] of mistakes) {
    test(`"${words}"`, () => {
      const parse = () => parseCommand(command, wordsOf(words)).args()
      assert.throws(parse, (error: Error) => error instanceof UsageError && sentence.test(error.message))
    })
  }

  test('what is right is taken', () => {
    const parsed = parseCommand(command, wordsOf('red --friend A --friend=--b --coats -1 --data-dir d'))
    assert.deepEqual(parsed.args(), { colour: 'red', walls: undefined })
    const { coats, friend, 'dry-run': dryRun } = parsed.options
    assert.deepEqual({ coats, friend, dryRun }, { coats: '-1', friend: ['A', '--b'], dryRun: false })
    assert.deepEqual(parsed.settings, { DATA_DIR: 'd' })
  })
})

describe('the program', () => {
  const line = forSuite(commandLine)

  test('lists all commands, those of a family, and says what one does', async () => {
    const [general, bare, family, one, version] = await Promise.all([
      line().run('--help'),
      line().run(),
      line().run('release'),
      line().run('release', 'publish', '--help'),
      line().run('--version'),
    ])
    for (const { name, summary } of commands)
      assert.ok(general.stdout.includes(`${name} `) && general.stdout.includes(summary))
    assert.equal(bare.stdout, general.stdout)
    assert.match(family.stdout, /release publish .*\n.*release list .*\n/)
    assert.ok(!family.stdout.includes('news'))
    assert.match(one.stdout, /Usage: menagerie release publish <application> <version> \[options\]\n/)
    assert.match(version.stdout, /^\d+\.\d+\.\d+\n$/)
    for (const { code, stderr } of [general, bare, family, one, version]) assert.deepEqual([code, stderr], [0, ''])
  })

  test('names the nearest command', async () => {
    const { refusal, here } = line()
    const [a, b, c, d, e] = await Promise.all([
      refusal('relase', 'list'),
      here.refusal('release', 'pubish', 'launcher', '--beta'),
      here.refusal('serv'),
      here.refusal('make', 'coffee'),
      here.refusal('tier', '--data-dir', 'x'),
    ])
    assert.equal(a, 'There is no command "relase list"; did you mean "menagerie release list"?')
    assert.equal(b, 'There is no command "release pubish"; did you mean "menagerie release publish"?')
    assert.equal(c, 'There is no command "serv"; did you mean "menagerie serve"?')
    assert.equal(d, 'There is no command "make coffee".')
    assert.equal(e, '"tier" needs another word: show, set.')
  })

  test('tells a program of a mistake as JSON, and a person as a sentence, both at once', async () => {
    const { code, stdout, stderr } = await line().run('token', 'revoke', '--json')
    assert.equal(code, 2)
    assert.deepEqual(Object.keys(JSON.parse(stdout)), ['success', 'message'])
    assert.match(stderr, /^menagerie: <id> is missing .*\nTry --help\.\n$/)
  })
})
