import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { imageSnippets, jsonSnippets, type Snippet } from '../../../src/http/pages/shared/snippets.ts'
import { findPython } from '../../kit/external-programs.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { startTestService } from '../../kit/service.ts'

const run = promisify(execFile)
const python = findPython()
const withoutPython = python ? false : 'no python3 with requests on the PATH'

const LANGUAGES = [
  { language: 'javascript', file: 'snippet.mjs', program: process.execPath, skip: false },
  { language: 'python', file: 'snippet.py', program: python ?? '', skip: withoutPython },
] as const

/** The text that a reader copies from the page. */
const copied = (snippets: readonly Snippet[], language: string) =>
  (snippets.find((snippet) => snippet.language === language)?.code.text ?? '')
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('&amp;', '&')

for (const { language, file, program, skip } of LANGUAGES) {
  const runIn = async (folder: string, snippets: readonly Snippet[]) => {
    await writeFile(join(folder, file), copied(snippets, language))
    return (await run(program, [file], { cwd: folder })).stdout.trim()
  }

  test(`the ${language} examples save a picture, print its name, and print a message`, { skip }, async (t) => {
    const { url } = await startTestService(t)
    const folder = await temporaryFolder(t)
    const image = encodeURIComponent(`${url}/media/animals/fox/~snippet.png`)
    const name = await runIn(folder, imageSnippets(`${url}/api/v2/filter/invert?image=${image}&output=webp`))
    assert.equal(name, 'picture.webp')
    assert.equal((await sharp(await readFile(join(folder, name))).metadata()).format, 'webp')
    assert.match(
      await runIn(folder, jsonSnippets(`${url}/api/v2/random/animal/cat`)),
      /^http:.*\/media\/animals\/cat\/\S+$/,
    )
  })

  test(`the ${language} example for a picture fails when the service replies with an error`, { skip }, async (t) => {
    const { url } = await startTestService(t)
    const folder = await temporaryFolder(t)
    await assert.rejects(runIn(folder, imageSnippets(`${url}/api/v2/filter/nope?image=x`)), /404|UNKNOWN_KIND/)
  })
}

test('a link to the playground cannot put code into the examples', async (t) => {
  const { url } = await startTestService(t)
  const code = encodeURIComponent("'-process.exit(1)-'")
  for (const query of [`steps=blur:${code}`, `steps=blur:${code},contrast:${code}`, `image=${code}&width=${code}`]) {
    const page = await (await fetch(`${url}/playground?${query}`)).text()
    const shown = [...page.matchAll(/<span data-url>(.*?)<\/span>/g)].map(([, text]) => text)
    assert.ok(shown.length > 0 && shown.every((text) => text?.includes('process.exit')), query)
    assert.ok(!shown.some((text) => /['"()\\]|&#39;|&quot;/.test(text ?? '')), query)
  }
})
