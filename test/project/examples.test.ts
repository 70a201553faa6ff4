// The examples of the README and of the guides are run as they stand, against the real service.
import assert from 'node:assert/strict'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it, test } from 'node:test'
import sharp from 'sharp'
import { bundlePackage } from '../../scripts/build-package.ts'
import { type CodeBlock, DOCUMENTED_URL, readCodeBlocks } from '../kit/code-blocks.ts'
import { curl } from '../kit/external-programs.ts'
import { temporaryFolder } from '../kit/folder.ts'
import { runProgram } from '../kit/program.ts'
import { ROOT } from '../kit/root.ts'
import { forSuite } from '../kit/scope.ts'
import { startTestService } from '../kit/service.ts'

const isOfNpm = ({ code }: CodeBlock) => code.startsWith('npm ')
const skip = curl ? false : 'no curl on the PATH'

describe('examples', { skip }, () => {
  const open = forSuite(async (scope) => {
    const folder = await temporaryFolder(scope)
    for (const name of ['client', 'artist'] as const) {
      await writeFile(join(folder, `${name}.mjs`), await bundlePackage(name, { minify: false }))
    }
    return { folder, ...(await startTestService(scope)) }
  })

  async function run({ language, code }: CodeBlock, shellPrelude: string) {
    const { folder, url } = open()
    const filled = code
      .replace(/'\{base\}\/site\/(client|artist)\.js'/g, "'./$1.mjs'")
      .replaceAll('{base}', url)
      .replaceAll('{app}', 'app')
      .replaceAll(DOCUMENTED_URL, url)
    if (language === 'sh') return runProgram('bash', ['-euo', 'pipefail', '-c', shellPrelude + filled], { cwd: folder })
    await writeFile(join(folder, 'example.mjs'), filled)
    return runProgram(process.execPath, ['example.mjs'], { cwd: folder })
  }

  it('of the README work, and leave pictures behind', async () => {
    const blocks = (await readCodeBlocks(join(ROOT, 'README.md'))).filter((block) => !isOfNpm(block))
    const runnable = blocks.filter(({ language }) => language === 'sh' || language === 'js')
    assert.ok(runnable.length >= 2)
    for (const block of runnable) {
      // An error of the service is an error of the example.
      const { status, output } = await run(block, 'curl() { command curl -sS --fail "$@"; }\n')
      assert.equal(status, 0, `README.md, line ${block.line}: ${output}`)
      assert.notEqual(output, '')
    }
    for (const [name, format] of [
      ['fox.webp', 'webp'],
      ['cat.png', 'png'],
    ]) {
      assert.equal((await sharp(join(open().folder, name ?? '')).metadata()).format, format)
    }
  })

  it('of the guides work', async () => {
    let ran = 0
    for (const file of globSync('src/http/pages/guides/texts/*.md', { cwd: ROOT })) {
      for (const block of await readCodeBlocks(join(ROOT, file))) {
        if (block.language !== 'sh' && block.language !== 'js') continue
        const { status, output } = await run(block, '')
        assert.equal(status, 0, `${file}, line ${block.line}: ${output}`)
        assert.notEqual(output, '', `${file}, line ${block.line}`)
        ran++
      }
    }
    assert.ok(ran >= 6, String(ran))
  })
})

test('the commands at the start of the README exist', async () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const [first] = (await readCodeBlocks(join(ROOT, 'README.md'))).filter(isOfNpm)
  const names = [...(first?.code ?? '').matchAll(/^npm (?:run )?(\w+)/gm)].map(([, name]) => name ?? '')
  assert.deepEqual(names, ['start', 'test'])
  for (const name of names) assert.ok(name in scripts, name)
})

test('the first filtered picture of the README is a picture', async (t) => {
  const { fetchPath, url } = await startTestService(t)
  const [, address = ''] =
    /<(http:[^>]+\/api\/v2\/filter\/[^>]+)>/.exec(readFileSync(join(ROOT, 'README.md'), 'utf8')) ?? []
  const reply = await fetchPath(address.replaceAll(DOCUMENTED_URL, url).slice(url.length))
  assert.equal(reply.headers.get('content-type'), 'image/png')
})

test('every document is in the index, and the pictures of the README are light', async () => {
  const index = readFileSync(join(ROOT, 'docs', 'README.md'), 'utf8')
  for (const name of readdirSync(join(ROOT, 'docs')).filter((name) => /^[a-z].*\.md$/.test(name))) {
    assert.ok(index.includes(`](${name})`), `docs/README.md does not tell of ${name}`)
  }
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
  for (const [, picture = ''] of readme.matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)) {
    assert.ok((await stat(join(ROOT, picture))).size < 150_000, `${picture} is heavy`)
  }
})
