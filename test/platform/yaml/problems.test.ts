import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type from 'typebox'
import { parseYamlFile } from '../../../src/platform/yaml/index.ts'

const texts = Type.Record(Type.String(), Type.String())
const known = Type.Object({ a: Type.Optional(Type.String()) }, { additionalProperties: false })

test('a file with many unknown fields is refused with problems that name the first ones', () => {
  const names = ['b', 'x y', 'x/y', 'x~1', 'ä', '"quoted"', ...Array.from({ length: 30 }, (_, index) => `c${index}`)]
  for (const count of [1, 7, 8, 9, names.length]) {
    const text = names.slice(0, count).map((name) => `${JSON.stringify(name)}: 1\n`)
    const { value, problems } = parseYamlFile('a.yaml', text.join(''), known)
    assert.equal(value, undefined)
    assert.equal(problems.length, Math.min(count, 8), 'as many as the validator reports')
    for (const [index, problem] of problems.entries()) {
      const message = `The file has an unknown field "${names[index]}"`
      assert.deepEqual(problem, { file: 'a.yaml', line: index + 1, rule: 'unknown-field', message })
    }
  }
})

test('repeated keys are reported where they are', () => {
  const { problems } = parseYamlFile('a.yaml', 'a: 1\nb: {c: 1, c: 2}\na: 2\n', texts)
  assert.deepEqual(
    problems.map(({ line, rule, message }) => [line, rule, message]),
    [3, 2].map((line) => [line, 'duplicate-key', 'Map keys must be unique']),
  )
})

test('the time to find what is wrong grows with the number of keys, not with its square', () => {
  const measure = (schema: typeof texts | typeof known, count: number) => {
    const text = Array.from({ length: count }, (_, index) => `key${index}: 1\n`).join('')
    const runs = Array.from({ length: 3 }, () => {
      const startedAt = performance.now()
      assert.ok(parseYamlFile('a.yaml', text, schema).problems.length > 0)
      return performance.now() - startedAt
    })
    return Math.min(...runs)
  }
  for (const schema of [texts, known]) {
    const [few, many] = [measure(schema, 2000), measure(schema, 16_000)]
    // Eight times as many keys. The square would take 64 times as long.
    assert.ok(many < 32 * few, `${Math.round(few)} ms and ${Math.round(many)} ms`)
  }
})
