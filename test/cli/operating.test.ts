// The documents that tell an operator what to type are held to what can be typed.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { commands } from '../../src/cli/commands/index.ts'
import { findCommand } from '../../src/cli/find.ts'
import { parseCommand } from '../../src/cli/parse.ts'
import { settings } from '../../src/config/config.ts'
import { ROOT } from '../kit/root.ts'
import { wordsOf } from '../kit/shell-words.ts'

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

/** What follows `menagerie` in the shell blocks of a document. */
const callsIn = (text: string) =>
  [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
    .flatMap(([, block = '']) => block.split('\n'))
    .flatMap((line) => /^(?:npm run menagerie --|menagerie) (.*?)(?: +#.*)?$/.exec(line)?.[1] ?? [])

for (const file of ['docs/operating.md', 'README.md', 'CONTRIBUTING.md']) {
  test(`every command that ${file} shows exists and takes these options`, () => {
    for (const call of callsIn(read(file))) {
      const found = findCommand(commands, wordsOf(call))
      if (found === 'help' || found === 'version') continue
      assert.ok('command' in found, call)
      const parsed = parseCommand(found.command, found.rest)
      if (!parsed.help) assert.doesNotThrow(parsed.args, call)
    }
  })
}

test('docs/operating.md shows every command', () => {
  const shown = callsIn(read('docs/operating.md'))
  const missing = commands
    .map(({ name }) => name)
    .filter((name) => !shown.some((call) => `${call} `.startsWith(`${name} `)))
  assert.deepEqual(missing, [])
})

test('the settings that docs/operating.md names exist', () => {
  const named = read('docs/operating.md').matchAll(/`([A-Z][A-Z0-9]*_[A-Z0-9_]+)(?:=[^`]*)?`/g)
  for (const [, name = ''] of named) assert.ok(Object.hasOwn(settings, name), name)
})
