import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { build } from 'esbuild'
import { createToken } from '../../kit/app.ts'
import { DOCUMENTED_URL, readCodeBlocks } from '../../kit/code-blocks.ts'
import { runProgram } from '../../kit/program.ts'
import { ROOT } from '../../kit/root.ts'
import { forSuite } from '../../kit/scope.ts'
import { startTestService } from '../../kit/service.ts'
import { installPackage } from '../installed.ts'

/** A user's program. Lines after @ts-expect-error must be type errors. */
const TYPED = `
import { createClient, MenagerieError, type Picture, type ServiceErrorCode } from '@menagerie/client'

const menagerie = createClient('http://127.0.0.1:4010', { timeoutMs: 1000 })
const one: string = (await menagerie.random.animal('cat')).message
const many: readonly string[] = (await menagerie.random.animal('axolotl', { count: 2 })).message
const item: Picture = (await menagerie.random.animal('cat', { type: 'gif' })).item
const code: ServiceErrorCode = 'UNKNOWN_KIND'
const bytes: number = (await menagerie.app().version('reshade')).reshade.bytes
const isKnown = (error: unknown) => error instanceof MenagerieError && error.code === code
console.log(one, many, item.alt, bytes, isKnown)

// @ts-expect-error: there is no such filter
menagerie.filter.url('sepia', one)
// @ts-expect-error: nor such a picture type
await menagerie.random.animal('cat', { type: ['bmp'] })
// @ts-expect-error: a single animal has one item
;(await menagerie.random.animal('cat')).items
// @ts-expect-error: only what was asked for is in the reply
;(await menagerie.app().version('reshade')).launcher
// @ts-expect-error: there is no such tier
await menagerie.app().tier(1)
// @ts-expect-error: a code of the service
const wrong: ServiceErrorCode = 'TEAPOT'
`

const SYSTEM_NODE = ['/usr/bin/node', '/usr/local/bin/node'].find((file) => existsSync(file))

describe('the package', () => {
  const installed = forSuite((scope) => installPackage(scope, 'client'))
  const service = forSuite((scope) => startTestService(scope))

  it('contains only the code, its types, README and LICENSE', async () => {
    const { folder, files } = installed()
    assert.deepEqual(files.filter((name) => !/^dist\/\w+\.d\.c?ts$/.test(name)).sort(), [
      'LICENSE',
      'README.md',
      'dist/element.cjs',
      'dist/element.js',
      'dist/index.cjs',
      'dist/index.js',
      'package.json',
    ])
    assert.deepEqual(
      (await readdir(join(folder, 'node_modules'))).filter((name) => !name.startsWith('.')),
      ['@menagerie'],
    )
  })

  for (const module of ['nodenext', 'esnext']) {
    it(`has correct types (module ${module})`, async () => {
      const { folder } = installed()
      await writeFile(join(folder, 'program.ts'), TYPED)
      const options = ['--module', module, '--moduleResolution', module === 'esnext' ? 'bundler' : module]
      const strict = '--strict --noEmit --skipDefaultLibCheck --target es2022 --lib es2022,dom'.split(' ')
      const tsc = join(ROOT, 'node_modules', '.bin', 'tsc')
      const { status, stdout } = spawnSync(tsc, [...options, ...strict, '--types', '', 'program.ts'], { cwd: folder })
      assert.equal(status, 0, String(stdout))
    })
  }

  for (const [name, node] of [
    ['this Node', process.execPath],
    ['the Node of the system', SYSTEM_NODE],
  ] as const) {
    it(`runs every example of its README on ${name}`, { skip: node ? false : 'no such Node' }, async () => {
      const { folder } = installed()
      const { url, dataDir } = service()
      const token = (await createToken(dataDir)).headers.Authorization.slice('Bearer '.length)
      const blocks = (await readCodeBlocks(join(ROOT, 'packages', 'client', 'README.md'))).filter(
        ({ language }) => language === 'js',
      )
      assert.ok(blocks.length >= 8)
      for (const { code, line } of blocks) {
        await writeFile(join(folder, `line-${line}.mjs`), code.replaceAll(DOCUMENTED_URL, url))
      }
      // In one process, because a start takes longer than an example.
      const calls = blocks.map(({ line }) => `await import('./line-${line}.mjs')\nconsole.log('# end of ${line}')`)
      await writeFile(join(folder, 'examples.mjs'), calls.join('\n'))
      const env = { MENAGERIE_TOKEN: token }
      const { status, output } = await runProgram(node ?? '', ['examples.mjs'], { cwd: folder, env })
      assert.equal(status, 0, output)
      const outputs = output.split(/^# end of \d+\n/m)
      for (const [nth, { code, line }] of blocks.entries()) {
        assert.equal(outputs[nth] !== '', code.includes('console.log'), `README.md, line ${line}: ${output}`)
      }
    })
  }

  it('lets bundlers drop unused parts, and is small', async () => {
    const { folder } = installed()
    const bundle = async (code: string) => {
      const stdin = { contents: code, resolveDir: folder }
      const { outputFiles } = await build({ stdin, bundle: true, minify: true, format: 'esm', write: false })
      return outputFiles[0]?.text ?? ''
    }
    const whole = await bundle(`import { createClient } from '@menagerie/client'; console.log(createClient)`)
    const part = await bundle(`import { connect, random } from '@menagerie/client'; console.log(connect, random)`)
    for (const path of ['/operator', '/api/v2/filter/', '/api/v1/static/logs']) {
      assert.deepEqual([whole.includes(path), part.includes(path)], [true, false], path)
    }
    const packed = await readFile(join(ROOT, 'build', 'site', 'client.js.br'))
    assert.ok(packed.length < 4096, 'the README promises less than 4 KB')
  })
})
