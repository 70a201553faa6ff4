// Parsing the command line, the help, and the commands that documents show.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { type Command, commonOptions } from '../../src/cli/command.ts'
import { commands } from '../../src/cli/commands/index.ts'
import { commandHelp } from '../../src/cli/help.ts'
import { findCommand, parseCommand } from '../../src/cli/parse.ts'
import { listSettings, settings } from '../../src/config/config.ts'
import { UsageError } from '../../src/errors/index.ts'
import { scopes } from '../../src/features/access/index.ts'
import { artistKinds } from '../../src/features/content/index.ts'
import { filters } from '../../src/features/filters/index.ts'
import { fits, outputFormats } from '../../src/features/images/index.ts'
import { applications, tiers } from '../../src/features/releases/index.ts'
import { commandLine } from '../kit/command-line.ts'
import { ROOT } from '../kit/root.ts'
import { forSuite } from '../kit/scope.ts'
import { splitShellWords } from '../kit/shell-words.ts'

for (const command of commands) {
  test(`the help of "${command.name}" lists its arguments and options, and its examples are valid`, () => {
    const help = commandHelp(command)
    for (const { name, help: text } of command.arguments ?? []) assert.ok(help.includes(`<${name}>`) && text, name)
    for (const [name, { help: text }] of Object.entries(command.options ?? {})) {
      assert.ok(help.includes(`--${name}`) && text.endsWith('.'), name)
    }
    assert.ok(command.summary.endsWith('.') && (command.examples?.length ?? 0) > 0)
    for (const example of command.examples ?? []) {
      const found = findCommand(commands, splitShellWords(example))
      assert.ok(typeof found === 'object' && 'command' in found && found.command === command, example)
      assert.doesNotThrow(() => parseCommand(command, found.rest).readArguments(), example)
    }
  })
}

test('no option has the name of a setting or of a common option', () => {
  const reserved = [
    ...listSettings().map(([name]) => name.toLowerCase().replaceAll('_', '-')),
    ...Object.keys(commonOptions),
  ]
  const own = commands.flatMap(({ options = {} }) => Object.keys(options))
  assert.deepEqual(
    own.filter((name) => reserved.includes(name)),
    [],
  )
  assert.equal(new Set(commands.map(({ name }) => name)).size, commands.length)
})

test('the choices of arguments and options are those of the features', () => {
  const choices = (name: string, what: string) => {
    const command = commands.find((candidate) => candidate.name === name)
    const argument = command?.arguments?.find((candidate) => candidate.name === what)
    return (argument ?? command?.options?.[what])?.choices
  }
  assert.deepEqual(choices('release publish', 'application'), applications)
  assert.deepEqual(choices('tier set', 'tier'), tiers)
  assert.deepEqual(choices('content sheet', 'kinds'), artistKinds)
  assert.deepEqual(choices('token create', 'scope'), scopes)
  assert.deepEqual(choices('filter', 'filter'), [...filters.map(({ name }) => name), 'chain'])
  assert.deepEqual(choices('filter', 'fit')?.toSorted(), fits.toSorted())
  assert.deepEqual(choices('filter', 'image-format'), outputFormats)
})

describe('a usage error', () => {
  const command: Command = {
    name: 'paint house',
    summary: 'Paints.',
    arguments: [
      { name: 'colour', help: 'The colour.', choices: ['red', 'green'] },
      { name: 'walls', help: 'The walls.', optional: true },
    ],
    options: {
      coats: { value: 'number', help: 'Number of coats.' },
      'dry-run': { help: 'Changes nothing.' },
      friend: { value: 'name', multiple: true, help: 'A helper.' },
    },
    run: async () => undefined,
  }
  const mistakes: [words: string, message: RegExp][] = [
    [
      '',
      /^The argument <colour> is missing\. Usage: npm run menagerie -- paint house <colour> \[<walls>\] \[options\]$/,
    ],
    ['red all more', /^Unexpected argument "more"\. Usage: npm run menagerie -- paint house/],
    ['rad', /^<colour> must be one of red, green, not "rad"\. Did you mean red\?$/],
    ['red --coast 3', /^There is no option --coast\. Did you mean --coats\?$/],
    ['red --dryrun', /^There is no option --dryrun\. Did you mean --dry-run\?$/],
    ['red --data-dri x', /^There is no option --data-dri\. Did you mean --data-dir\?$/],
    ['red -x', /^There is no option -x\.$/],
    ['red --coats', /^--coats needs a value: --coats <number>\.$/],
    ['red --coats --dry-run', /^--coats needs a value/],
    ['red --coats 1 --coats 2', /^--coats may be given only once\.$/],
    ['red --dry-run=yes', /^--dry-run takes no value\.$/],
    ['red --__proto__', /^There is no option --__proto__\.$/],
  ]
  for (const [words, message] of mistakes) {
    test(`"${words}"`, () => {
      const parse = () => parseCommand(command, splitShellWords(words)).readArguments()
      assert.throws(parse, (error: Error) => error instanceof UsageError && message.test(error.message))
    })
  }

  test('is not raised for valid words', () => {
    const parsed = parseCommand(command, splitShellWords('red --friend A --friend=--b --coats -1 --data-dir d'))
    assert.deepEqual(parsed.readArguments(), { colour: 'red', walls: undefined })
    const { coats, friend, 'dry-run': dryRun } = parsed.options
    assert.deepEqual({ coats, friend, dryRun }, { coats: '-1', friend: ['A', '--b'], dryRun: false })
    assert.deepEqual(parsed.settings, { DATA_DIR: 'd' })
  })
})

describe('the program', () => {
  const cli = forSuite(commandLine)

  test('shows the general help, the help of a group, the help of a command, and the version', async () => {
    const { run } = cli()
    const [general, bare, group, one, version] = await Promise.all([
      run('--help'),
      run(),
      run('release'),
      run('release', 'publish', '--help'),
      run('--version'),
    ])
    for (const { name, summary } of commands)
      assert.ok(general.stdout.includes(`  ${name} `) && general.stdout.includes(`  ${summary.split('. ')[0]}`), name)
    assert.match(general.stdout, /\nReleases\n {2}release list .*\n/)
    const shown = bare.stdout.split('\n').filter((line) => line.startsWith('  '))
    assert.deepEqual([shown.length, shown[1]?.split(/ {2,}/)[1]], [10, 'serve'])
    assert.match(bare.stdout, /\nAll commands: .* --help\n/)
    assert.match(group.stdout, /release list .*\n.*release publish .*\n/)
    assert.ok(!group.stdout.includes('news'))
    assert.match(
      one.stdout,
      /Usage: npm run menagerie -- release publish <application> <version> \[<files>…\] \[options\]\n/,
    )
    assert.deepEqual(await run('help', 'release', 'publish'), one)
    assert.deepEqual(await run('help', 'release'), group)
    assert.match(version.stdout, /^\d+\.\d+\.\d+\n$/)
    for (const { code, stderr } of [general, bare, group, one, version]) assert.deepEqual([code, stderr], [0, ''])
  })

  test('suggests the nearest command', async () => {
    const { fail } = cli()
    assert.equal(await fail('relase', 'list'), 'There is no command "relase list". Did you mean "release list"?')
    assert.equal(
      await fail('release', 'pubish', 'launcher', '--beta'),
      'There is no command "release pubish". Did you mean "release publish"?',
    )
    assert.equal(await fail('serv'), 'There is no command "serv". Did you mean "serve"?')
    assert.equal(await fail('make', 'coffee'), 'There is no command "make coffee".')
    assert.equal(await fail('tier', '--data-dir', 'x'), '"tier" needs a subcommand: set, show.')
  })

  test('reports a usage error as JSON on standard output and as text on standard error', async () => {
    const { code, stdout, stderr } = await cli().program.run('token', 'revoke', '--json')
    assert.equal(code, 2)
    assert.deepEqual(Object.keys(JSON.parse(stdout)), ['success', 'message'])
    assert.match(stderr, /^menagerie: The argument <id> is missing\. .*\nTry: .* token revoke --help\n$/)
  })
})

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

/** The words after `menagerie` in the shell blocks of a document. */
const findCalls = (text: string) =>
  [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
    .flatMap(([, block = '']) => block.split('\n'))
    .flatMap((line) => /^(?:npm run menagerie --|menagerie) (.*?)(?: +#.*)?$/.exec(line)?.[1] ?? [])

for (const file of ['docs/operating.md', 'README.md', 'CONTRIBUTING.md']) {
  test(`the commands in ${file} are valid`, () => {
    for (const call of findCalls(read(file))) {
      const found = findCommand(commands, splitShellWords(call))
      if (typeof found === 'string') continue
      assert.ok('command' in found, call)
      const parsed = parseCommand(found.command, found.rest)
      if (!parsed.help) assert.doesNotThrow(parsed.readArguments, call)
    }
  })
}

test('docs/operating.md shows every command', () => {
  const shown = findCalls(read('docs/operating.md'))
  const missing = commands
    .map(({ name }) => name)
    .filter((name) => !shown.some((call) => `${call} `.startsWith(`${name} `)))
  assert.deepEqual(missing, [])
})

/** Environment variables of the commands and of Node, which are no settings of the service. */
const otherVariables = ['MENAGERIE_SERVER', 'MENAGERIE_TOKEN', 'XDG_CONFIG_HOME', 'NODE_EXTRA_CA_CERTS', 'NO_COLOR']

test('the settings in docs/operating.md exist', () => {
  const names = read('docs/operating.md').matchAll(/`([A-Z][A-Z0-9]*_[A-Z0-9_]+)(?:=[^`]*)?`/g)
  for (const [, name = ''] of names) assert.ok(Object.hasOwn(settings, name) || otherVariables.includes(name), name)
})
