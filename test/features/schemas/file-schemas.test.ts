import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { Ajv } from 'ajv'
import { parseDocument } from 'yaml'
import { schemaNames } from '../../../src/features/schemas/index.ts'
import { ROOT } from '../../kit/root.ts'
import { startTestService } from '../../kit/service.ts'

const ajv = new Ajv({ strict: false, allErrors: true })
const readSchema = (path: string) => ajv.compile(JSON.parse(readFileSync(path, 'utf8')))
const schemaAt = (name: string) => readSchema(join(ROOT, 'content/schemas', `${name}.json`))
/** As the service reads them: keys are texts. */
const parse = (text: string) => parseDocument(text, { stringKeys: true }).toJS()

/** The schema that an editor finds by the first line of a file. */
function schemaOf(path: string) {
  const [, schema = ''] = /^# yaml-language-server: \$schema=(\S+)\n/.exec(readFileSync(path, 'utf8')) ?? []
  return readSchema(join(dirname(path), schema))
}

/** A mistake that a person may make, and the path that the editor marks. */
const STARTER_FILES: readonly [file: string, right: string, wrong: string, path: string][] = [
  ['app/releases.yaml', 'bytes: 121', 'bytes: "121"', '/launcher/0/bytes'],
  ['app/releases.yaml', 'file: launcher-1.0.0.txt', 'fil: launcher-1.0.0.txt', '/launcher/0'],
  ['app/releases.yaml', 'version: 1.0.0', 'version: v1.0.0', '/launcher/0/version'],
  ['app/resources.yaml', 'sha256: bc', 'sha256: xbc', '/resources/0/sha256'],
  ['app/tiers.yaml', 'example-pack: 1.1.0', 'example-pack: 1.1', '/3/resources/example-pack'],
  ['yt-video/hl-cats.yaml', 'id: J---aiyznGQ', 'id: J---aiyzn', '/0/id'],
]

for (const [file, right, wrong, path] of STARTER_FILES) {
  test(`an editor finds "${wrong}" in ${file}, and nothing in the starter file`, () => {
    const full = join(ROOT, 'content', file)
    const validate = schemaOf(full)
    const text = readFileSync(full, 'utf8')
    assert.ok(validate(parse(text)), JSON.stringify(validate.errors))
    assert.ok(text.includes(right))
    assert.equal(validate(parse(text.replace(right, wrong))), false)
    assert.ok(
      validate.errors?.some(({ instancePath }) => instancePath === path),
      JSON.stringify(validate.errors),
    )
  })
}

test('an editor finds mistakes in credits and in the front matter of news', () => {
  const [, example = ''] =
    /```yaml\n([\s\S]*?)```/.exec(readFileSync(join(ROOT, 'content/animals/README.md'), 'utf8')) ?? []
  assert.match(example, /^# yaml-language-server: \$schema=\.\.\/\.\.\/schemas\/credits\.json\n/)
  const credits = schemaAt('credits')
  assert.ok(credits(parse(example)), JSON.stringify(credits.errors))
  assert.equal(credits(parse(example.replace('https://', 'www.'))), false)
  const news = schemaAt('news')
  const [, frontMatter = ''] =
    /^---\n([\s\S]*?)---/.exec(readFileSync(join(ROOT, 'content/app/news/example-welcome.md'), 'utf8')) ?? []
  assert.ok(news(parse(frontMatter)), JSON.stringify(news.errors))
  assert.equal(news(parse(frontMatter.replace('title:', 'titel:'))), false)
})

test('every field has a description, which editors show', () => {
  for (const name of schemaNames) {
    const text = readFileSync(join(ROOT, 'content/schemas', `${name}.json`), 'utf8')
    const visit = ({ properties = {}, items, patternProperties = {} }: any, path: string): void => {
      for (const [field, schema] of Object.entries<any>(properties)) {
        const isGroup = /^(?:launcher|reshade|fpsUnlocker|resources|[23]|failed|total)$/.test(field)
        if (!isGroup) assert.match(schema.description ?? '', /\.$/, `${name}${path}/${field}`)
        visit(schema, `${path}/${field}`)
      }
      for (const schema of Object.values<any>(patternProperties)) visit(schema, `${path}/*`)
      if (items) visit(items, `${path}/items`)
    }
    visit(JSON.parse(text), '')
    assert.doesNotMatch(text, /"editor"/)
  }
})

test('the service serves the same schemas, compressed and cached', async (t) => {
  const { fetchPath } = await startTestService(t)
  for (const name of schemaNames) {
    const reply = await fetchPath(`/schemas/${name}.json`)
    assert.equal(await reply.text(), readFileSync(join(ROOT, 'content/schemas', `${name}.json`), 'utf8'))
    assert.match(reply.headers.get('cache-control') ?? '', /max-age=60/)
    if (name === 'releases') assert.match(reply.headers.get('content-encoding') ?? '', /^(?:br|gzip)$/)
  }
  assert.equal((await fetchPath('/schemas/none.json')).status, 404)
})
