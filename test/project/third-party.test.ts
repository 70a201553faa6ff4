import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import Ajv from 'ajv'
import addFormats from 'ajv-formats'
import { listPackageFolders, readPackages } from '../../scripts/third-party.ts'
import { temporaryFolder } from '../kit/folder.ts'
import { ROOT } from '../kit/root.ts'

const readJson = async (...path: string[]) => JSON.parse(await readFile(join(ROOT, ...path), 'utf8'))

test('the SBOM is valid CycloneDX 1.6, names each package once, and contains no id or time of the build', async () => {
  const sbom = await readJson('dist', 'sbom.json')
  const readSchema = (file: string) => readJson('node_modules/@cyclonedx/cyclonedx-library/res/schema', file)
  const ajv = new Ajv.default({ strict: false })
  for (const file of ['spdx.SNAPSHOT.schema.json', 'jsf-0.82.SNAPSHOT.schema.json']) {
    ajv.addSchema(await readSchema(file), `http://cyclonedx.org/schema/${file}`)
  }
  addFormats.default(ajv)
  // ajv-formats does not have these two; the SBOM does not use them.
  for (const name of ['iri-reference', 'idn-email']) ajv.addFormat(name, true)
  const isValid = ajv.compile(await readSchema('bom-1.6.SNAPSHOT.schema.json'))
  assert.equal(isValid(sbom), true, ajv.errorsText(isValid.errors))
  assert.equal(isValid({ ...sbom, components: [{ name: 'without a type' }] }), false)

  const names: string[] = sbom.components.map((component: { purl: string }) => component.purl)
  assert.deepEqual([...new Set(names)], names)
  assert.ok(names.some((name) => name.startsWith('pkg:npm/sharp@')))
  assert.deepEqual([sbom.serialNumber, sbom.metadata.timestamp], [undefined, undefined])
})

test('the notices name every bundled package of the SBOM, with its licence text', async () => {
  const notices = await readFile(join(ROOT, 'dist', 'THIRD-PARTY-NOTICES'), 'utf8')
  const { components } = await readJson('dist', 'sbom.json')
  const bundled = components.filter(({ properties }: any) => properties[0].value === 'bundled')
  assert.ok(bundled.length > 50)
  for (const { group, name, version } of bundled) {
    assert.ok(notices.includes(`\n${group ? `${group}/` : ''}${name} ${version} (`), name)
  }
  for (const text of ['SIL OPEN FONT LICENSE', 'Redis, inc.', '@vue/shared', 'Matteo Collina']) {
    assert.ok(notices.includes(text), text)
  }
})

test('a package without an accepted licence, or without its text, cannot be bundled', async (t) => {
  const root = await temporaryFolder(t)
  const folder = 'node_modules/pino/node_modules/@my/library'
  await mkdir(join(root, folder), { recursive: true })
  const lock = { packages: { [folder]: { version: '1.0.0', integrity: 'sha512-AAAA' } } }
  await writeFile(join(root, 'package-lock.json'), JSON.stringify(lock))
  const read = async (license: unknown) => {
    await writeFile(
      join(root, folder, 'package.json'),
      JSON.stringify({ name: '@my/library', version: '1.0.0', license }),
    )
    return readPackages(root, [folder])
  }
  await assert.rejects(
    read('MIT'),
    /^Error: @my\/library 1\.0\.0 is bundled, but the text of its licence MIT is missing/,
  )
  await writeFile(join(root, folder, 'LICENSE.md'), 'Do what you want.')
  for (const license of ['GPL-3.0-only', 'MIT AND GPL-3.0-only', 'OFL-1.1', 'SEE LICENSE IN LICENSE.md']) {
    await assert.rejects(
      read(license),
      /^Error: @my\/library 1\.0\.0 is bundled, but its licence .* is not accepted/,
      license,
    )
  }
  await assert.rejects(read(undefined), /names no licence/)
  const [{ text } = { text: '' }] = await read('(MIT OR GPL-3.0-only)')
  assert.equal(text, 'Do what you want.')
})

test('a package counts only if its code is in the bundle', () => {
  const inputs = {
    'src/main.ts': { bytesInOutput: 1 },
    'node_modules/pino/lib/a.js': { bytesInOutput: 1 },
    'node_modules/pino/lib/b.js': { bytesInOutput: 2 },
    'node_modules/pino/node_modules/@my/library/index.js': { bytesInOutput: 3 },
    'node_modules/unused/index.js': { bytesInOutput: 0 },
  }
  const output = { bytes: 7, inputs, imports: [], exports: [] }
  assert.deepEqual(listPackageFolders({ inputs: {}, outputs: { 'main.js': output } }), [
    'node_modules/pino',
    'node_modules/pino/node_modules/@my/library',
  ])
})
