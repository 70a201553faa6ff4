import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { buildDocuments } from '../../scripts/generated-docs.ts'
import { listAllErrors } from '../../src/http/api/api-description.ts'
import { ROOT } from '../kit/root.ts'

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

for (const [path, text] of Object.entries(buildDocuments())) {
  test(`${path} is up to date (npm run docs)`, () => assert.equal(read(path), text))
}

test('docs/errors.md and the list of codes agree, both ways', () => {
  const documented = [...read('docs/errors.md').matchAll(/^\| `([A-Z_]+)`/gm)].map(([, code]) => code)
  assert.deepEqual(
    documented,
    listAllErrors().map(({ code }) => code),
  )
  assert.equal(new Set(documented).size, documented.length)
})

test('links between documents lead somewhere', () => {
  for (const file of globSync(['*.md', 'docs/**/*.md', 'packages/*/README.md'], { cwd: ROOT })) {
    for (const [, target = ''] of read(file).matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)) {
      if (/^[a-z]+:/.test(target)) continue
      assert.ok(existsSync(join(ROOT, dirname(file), target)), `${file} links to ${target}`)
    }
  }
})

test('files that the walkthrough and adding.md name exist', () => {
  for (const [, path = ''] of read('docs/adding.md').matchAll(/`((?:src|test|bench|scripts|content)\/[\w./-]+)`/g)) {
    assert.ok(existsSync(join(ROOT, path)), `docs/adding.md names ${path}`)
  }
  const inSources = /`((?:app|cli|config|errors|features|http|platform)\/[\w./-]+)`/g
  for (const [, path = ''] of read('docs/walkthrough.md').matchAll(inSources)) {
    assert.ok(existsSync(join(ROOT, 'src', path)), `docs/walkthrough.md names ${path}`)
  }
})

test('the lock file names no download address', () => {
  assert.doesNotMatch(read('package-lock.json'), /"resolved": *"https?:/)
})
