import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import Type from 'typebox'
import { stringify } from 'yaml'
import { parseYamlFile } from '../../../src/platform/yaml/index.ts'

/** A comment that makes a file large, so that the fast parser reads it first. */
const COMMENT = `# ${'x'.repeat(64 * 1024)}\n`
const schema = Type.Record(Type.String(), Type.Unknown())
const parse = (text: string) => parseYamlFile('a.yaml', text, schema)

/** A large file gives the value or the problems that a small one gives. */
function assertSameResult(text: string) {
  const { value, problems } = parse(text)
  const large = parse(COMMENT + text)
  assert.deepEqual(large.value, value, text)
  const moved = problems.map((problem) => ({ ...problem, line: problem.line! + 1 }))
  assert.deepEqual(large.problems, moved, text)
}

const scalars = [
  ...['1', '01', '1_000', '0o17', '0x1F', '0b1', '+1', '-0', '.5', '1.', '1e3', '1.10', '.inf', '.nan', '12:30:45'],
  ...['true', 'True', 'yes', 'off', '~', 'null', 'Null', '""', '2026-01-01', '2026-01-01T10:00:00Z', '=', '<<', '-'],
  ...[
    "'it''s'",
    '"a\\u0041\\n\\x41"',
    '"a\\\n  b"',
    'a: b',
    'a #b',
    'a#b',
    '!!str 5',
    '!!int "5"',
    '!own 5',
    '@a',
    '`a',
  ],
  ...[
    '&a x',
    '*a',
    'x &a',
    'a&b',
    '[1, [2], {a: b}, ]',
    '{a: 1, b}',
    '{a: 1, a: 2}',
    '[',
    '{"a":1}',
    '"a":1',
    '👩‍🚀',
    '\u0085',
  ],
  ...[
    '|\n  a\n   b\n',
    '|+\n  a\n\n',
    '|-\n  a\n\n',
    '>\n  a\n  b\n\n  c\n',
    '|2\n   a\n',
    '\n  - 1\n  -\n  - a: 1\n    b: 2',
    '\ta',
  ],
]
const files = [
  ...['', '# nothing', '---\na: 1', 'a: 1\n...\n', 'a: 1\n---\nb: 2', '%YAML 1.2\n---\na: 1', 'a: 1\na: 2', 'a:'],
  ...[
    '[a]: 1',
    '? a\n: 1',
    '? [a]\n: 1',
    '? {a: 1}\n: 1',
    '2: x\ntrue: y\nnull: z',
    '__proto__: 1',
    'a: 1\n b: 2',
    'a:\n\tb: 1',
  ],
  ...[
    'a: &x 1\nb: *x',
    'a: &x\n  b: 1',
    '<<: {a: 1}\nb: 2',
    'a:\r\n  - 1\r\n',
    'a: 1 # b',
    '"a b": 1',
    'a:\n- 1\n- 2',
    'a: \u0007',
  ],
]

for (const text of [...files, ...scalars.map((scalar) => `a: ${scalar}\nb: 1\n`)]) {
  test(`a large file is read like a small one: ${JSON.stringify(text)}`, () => assertSameResult(text))
}

test('any data in any style is read in the same way from a large file', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: fc.constantFrom(...' \n\t:#-&*"\'|>[]{}a1') }),
  )
  const data = fc.dictionary(text, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 5 })
  const style = fc.constantFrom('QUOTE_DOUBLE', 'QUOTE_SINGLE', 'PLAIN', 'BLOCK_LITERAL', 'BLOCK_FOLDED' as const)
  fc.assert(
    fc.property(data, style, fc.constantFrom('block', 'flow' as const), (value, defaultStringType, collectionStyle) => {
      assertSameResult(stringify(value, { defaultStringType, defaultKeyType: 'PLAIN', collectionStyle } as object))
    }),
    { numRuns: 100 },
  )
})
