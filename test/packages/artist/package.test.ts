import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { artistKinds, draw } from '../../../packages/artist/src/index.ts'
import { openBrowser, skipWithoutBrowser } from '../../kit/browser.ts'
import { readCodeBlocks } from '../../kit/code-blocks.ts'
import { runProgram } from '../../kit/program.ts'
import { ROOT } from '../../kit/root.ts'
import { forSuite } from '../../kit/scope.ts'
import { startSource } from '../../kit/source.ts'
import { installPackage } from '../installed.ts'

/** A user's program. Lines after @ts-expect-error must be type errors. */
const CALLS = `
const svg: string = draw('cat', 'Zoë', { background: 'none', size: 64, edition: 1 })
const { alt, tags, color }: Description = describe('fox', '1')
const kinds: readonly AnimalKind[] = artistKinds
console.log(svg, alt, tags.length, color.length, kinds)

// @ts-expect-error: there is no such kind
draw('unicorn', '1')
// @ts-expect-error: nor such a background
draw('cat', '1', { background: 'blue' })
`
const IMPORTED = '{ type AnimalKind, artistKinds, type Description, describe, draw }'
const PROGRAMS = {
  'program.ts': `import ${IMPORTED} from '@menagerie/artist'\n${CALLS}`,
  'required.cts': `import artist = require('@menagerie/artist')
import type { AnimalKind, Description } from '@menagerie/artist'
const { artistKinds, describe, draw } = artist
${CALLS}`,
}

const NODES = [process.execPath, '/usr/bin/node'].filter((file) => existsSync(file))
const PRINT_DIGEST = `
const all = artistKinds.map((kind) => draw(kind, 'Zoë') + describe(kind, 'Zoë').alt)
console.log(require('node:crypto').createHash('sha256').update(all.join()).digest('hex'))`

describe('the artist as a package', () => {
  const installed = forSuite((scope) => installPackage(scope, 'artist'))

  it('contains only the code, its types, README and LICENSE', () => {
    const others = installed().files.filter((name) => !/^dist\/[\w/-]+\.d\.c?ts$/.test(name))
    assert.deepEqual(others.sort(), ['LICENSE', 'README.md', 'dist/index.cjs', 'dist/index.js', 'package.json'])
  })

  it('is smaller than 60,000 bytes with gzip', async () => {
    const code = await readFile(join(installed().folder, 'node_modules/@menagerie/artist/dist/index.js'))
    const { length } = gzipSync(code)
    assert.ok(length < 60_000, `${length} bytes`)
  })

  for (const [file, options] of [
    ['program.ts', ['--module', 'nodenext']],
    ['program.ts', ['--module', 'esnext', '--moduleResolution', 'bundler']],
    ['required.cts', ['--module', 'nodenext']],
  ] as const) {
    it(`has correct types: ${file} with ${options.join(' ')}`, async () => {
      const { folder } = installed()
      await writeFile(join(folder, file), PROGRAMS[file])
      const strict = '--strict --noEmit --skipDefaultLibCheck --target es2022 --lib es2022,dom'.split(' ')
      const tsc = join(ROOT, 'node_modules', '.bin', 'tsc')
      const { status, stdout } = spawnSync(tsc, [...options, ...strict, '--types', '', file], { cwd: folder })
      assert.equal(status, 0, String(stdout))
    })
  }

  it('gives the same drawings with import and require, in every Node', async () => {
    const { folder } = installed()
    const names = '{ artistKinds, describe, draw }'
    const programs = {
      'digest.mjs': `import ${names} from '@menagerie/artist'
import { createRequire } from 'node:module'
const require = createRequire(import.meta.url)`,
      'digest.cjs': `const ${names} = require('@menagerie/artist')`,
    }
    const outputs = new Set<string>()
    for (const node of NODES) {
      for (const [file, start] of Object.entries(programs)) {
        await writeFile(join(folder, file), start + PRINT_DIGEST)
        const { status, output } = await runProgram(node, [file], { cwd: folder })
        assert.equal(status, 0, `${node} ${file}: ${output}`)
        outputs.add(output)
      }
    }
    assert.equal(outputs.size, 1)
  })

  it('runs the examples of its README, which print what their comments say', async () => {
    const { folder } = installed()
    const blocks = await readCodeBlocks(join(ROOT, 'packages', 'artist', 'README.md'))
    const examples = blocks.filter(({ language }) => language === 'js')
    assert.ok(examples.length >= 2)
    await mkdir(join(folder, 'examples'))
    for (const [i, { code }] of examples.entries()) {
      const file = code.includes('require(') ? `examples/${i}.cjs` : `examples/${i}.mjs`
      await writeFile(join(folder, file), code)
      const { status, output } = await runProgram(process.execPath, [file], { cwd: folder })
      assert.equal(status, 0, output)
      const printed = [...code.matchAll(/^console\.log\(.*\) \/\/ (.*)$/gm)].map(([, text]) => text)
      assert.equal(output.trim(), printed.join('\n'))
    }
  })

  it('draws the same in a browser, which shows it as an image', { skip: skipWithoutBrowser }, async (t) => {
    const code = await readFile(join(installed().folder, 'node_modules/@menagerie/artist/dist/index.js'), 'utf8')
    const { url } = await startSource(t, ({ url: path }, response) => {
      if (path === '/artist.js') response.writeHead(200, { 'content-type': 'text/javascript' }).end(code)
      else response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Mine</title>')
    })
    const { context } = await openBrowser(t, url('/'))
    const page = await context.newPage()
    await page.goto(url('/'))
    const drawn = await page.evaluate<
      { svg: string; width: number }[]
    >(`import('/artist.js').then(({ artistKinds, draw }) =>
      Promise.all(artistKinds.map(async (kind) => {
        const svg = draw(kind, 'Zoë')
        const image = new Image()
        image.src = 'data:image/svg+xml,' + encodeURIComponent(svg)
        await image.decode()
        return { svg, width: image.naturalWidth }
      })))`)
    assert.deepEqual(
      drawn,
      artistKinds.map((kind) => ({ svg: draw(kind, 'Zoë'), width: 512 })),
    )
  })
})
