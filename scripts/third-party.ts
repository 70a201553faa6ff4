// The third-party code in the build: who wrote it, and under which licence. esbuild reports which files are in a bundle.
// A licence that nobody has accepted, or whose text is missing, fails the build.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Metafile } from 'esbuild'

export interface BundledPackage {
  readonly name: string
  readonly version: string
  /** An SPDX expression. */
  readonly license: string
  readonly text: string
  /** SHA-512 of the package on npm, in base64. */
  readonly sha512: string
}

const ACCEPTED_LICENSES = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'Python-2.0',
  'Unlicense',
])
/** Suits fonts only: code may not be sold under it. */
const FONT_LICENSE = 'OFL-1.1'
const FONT_PACKAGES = ['@fontsource-variable/nunito']

/** Packages under the MIT licence that do not contain its text, with the copyright line of their repository. */
const COPYRIGHT_LINES: Readonly<Record<string, string>> = {
  '@redis/client': 'Copyright (c) 2022-2025, Redis, inc.',
}

/** Folders without a package.json inside a package, by the author and under the licence of that package. */
const PARTS_OF_PACKAGES = ['node_modules/feedsmith/dist/node_modules/trousse']

const PACKAGE_FOLDER = /(?:^|\/)(node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)\//

/** The folders of the packages of which the bundle contains code, relative to the root. */
export function listPackageFolders({ outputs }: Metafile): string[] {
  const files = Object.values(outputs).flatMap(({ inputs }) =>
    // Of other files, nothing is left in the bundle.
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
  )
  const folders = files.flatMap((file) => PACKAGE_FOLDER.exec(file)?.[1] ?? [])
  return [...new Set(folders)].filter((folder) => !PARTS_OF_PACKAGES.includes(folder)).sort()
}

interface Lockfile {
  readonly packages: Readonly<
    Record<string, { version: string; license?: string; integrity?: string; dev?: boolean; optional?: boolean }>
  >
}

const readLockfile = (root: string): Lockfile => JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))

export function readPackages(root: string, folders: readonly string[]): BundledPackage[] {
  const { packages } = readLockfile(root)
  const found = new Map<string, BundledPackage>()
  for (const folder of folders) {
    const file = join(root, folder, 'package.json')
    if (!existsSync(file))
      throw new Error(`${folder} is bundled, but has no package.json: name its package and licence.`)
    const { name, version, license } = JSON.parse(readFileSync(file, 'utf8'))
    const id = `${name} ${version}`
    if (typeof license !== 'string' || license === '') throw new Error(`${id} is bundled, but names no licence.`)
    if (!isAccepted(license) && !(license === FONT_LICENSE && FONT_PACKAGES.includes(name))) {
      throw new Error(`${id} is bundled, but its licence ${license} is not accepted (scripts/third-party.ts).`)
    }
    const text = readLicenseText(root, folder, name)
    if (text === '') throw new Error(`${id} is bundled, but the text of its licence ${license} is missing.`)
    const sha512 = packages[folder]?.integrity?.replace('sha512-', '')
    if (!sha512) throw new Error(`${id} is bundled, but package-lock.json has no hash of ${folder}.`)
    found.set(id, { name, version, license, text, sha512 })
  }
  return [...found.keys()].sort().map((id) => found.get(id)!)
}

/** One licence of those joined by OR must be accepted, and all of those joined by AND. */
const isAccepted = (expression: string) =>
  expression
    .replace(/^\((.*)\)$/, '$1')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((license) => ACCEPTED_LICENSES.has(license)))

function readLicenseText(root: string, folder: string, name: string): string {
  const files = readdirSync(join(root, folder)).filter((file) => /^(?:licen[cs]e|copying|notice)\b/i.test(file))
  const texts = files.sort().map((file) => readFileSync(join(root, folder, file), 'utf8').trim())
  const copyrightLine = COPYRIGHT_LINES[name]
  // Our own licence is MIT, too; this copy of it is in every build.
  const own = () => readFileSync(join(root, 'packages', 'client', 'LICENSE'), 'utf8').trim()
  if (texts.length === 0 && copyrightLine) return own().replace(/^Copyright .*$/m, copyrightLine)
  return texts.join('\n\n').replaceAll('\r\n', '\n')
}

/** The comments about licences in a bundle that somebody else made, which keeps no other trace of what is in it. */
export const extractLicenseComments = (code: string): string[] =>
  [...code.matchAll(/\/\*(?:(?!\*\/)[\s\S])*?(?:@license|MIT License)(?:(?!\*\/)[\s\S])*\*\//g)].map(([comment]) =>
    comment.replace(/^\/\*+!?\s*|\s*\*+\/$/g, '').replace(/^\* ?/gm, ''),
  )

const SCALAR = '@scalar/fastify-api-reference'

export function formatNotices(packages: readonly BundledPackage[], scalarComments: readonly string[]): string {
  const line = '-'.repeat(80)
  const groups = Map.groupBy(packages, ({ name, text }) =>
    name === SCALAR
      ? `${text}\n\nThe bundle of Scalar contains other packages. Its notices:\n\n${scalarComments.join('\n\n')}`
      : text,
  )
  const entries = [...groups].map(([text, group]) => {
    const names = group.map(({ name, version, license }) => `${name} ${version} (${license})`)
    return `${line}\n${names.join('\n')}\n\n${text}\n`
  })
  return `Menagerie contains code of the following packages.

assemblyscript is the compiler of build/kernels.wasm, which may contain parts of its standard library.
@fontsource-variable/nunito is the font of the pages, reduced to some characters.
sharp and the packages that it needs are not part of Menagerie: npm installs them, with their own licences. They include
libvips (LGPL-3.0-or-later), which is linked dynamically and can be replaced.

${entries.join('\n')}`
}

/** A software bill of materials in the format CycloneDX 1.6. It has no time and no serial number: it can be reproduced. */
export function formatSbom(root: string, packages: readonly BundledPackage[]): string {
  const { name, version, description, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const describe = (item: { name: string; version: string }) => {
    const [scope, rest] = item.name.startsWith('@') ? item.name.split('/') : [undefined, item.name]
    const purl = `pkg:npm/${scope ? `${scope.replace('@', '%40')}/` : ''}${rest}@${item.version}`
    return { 'bom-ref': purl, ...(scope && { group: scope }), name: rest, version: item.version, purl }
  }
  const toComponent = (item: Omit<BundledPackage, 'text'>, scope: 'required' | 'optional', origin: string) => ({
    type: 'library',
    ...describe(item),
    scope,
    hashes: [{ alg: 'SHA-512', content: Buffer.from(item.sha512, 'base64').toString('hex') }],
    licenses: / (?:OR|AND|WITH) /.test(item.license)
      ? [{ expression: item.license }]
      : [{ license: { id: item.license } }],
    properties: [{ name: 'menagerie:origin', value: origin }],
  })
  const bundled = packages.map((item) => toComponent(item, 'required', 'bundled'))
  const installed = listInstalled(root).map(({ isOptional, ...item }) =>
    toComponent(item, isOptional ? 'optional' : 'required', 'installed by npm'),
  )
  const components = [...bundled, ...installed]
  const main = describe({ name, version })
  const sbom = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', ...main, description, licenses: [{ license: { id: license } }] } },
    components,
    dependencies: [{ ref: main.purl, dependsOn: components.map(({ purl }) => purl) }],
  }
  return `${JSON.stringify(sbom, undefined, 2)}\n`
}

/** The run-time dependencies, which npm installs beside the bundle: sharp and what it needs on any platform. */
function listInstalled(root: string) {
  return Object.entries(readLockfile(root).packages).flatMap(([folder, item]) => {
    if (folder === '' || item.dev) return []
    const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length)
    const { version, license, integrity, optional } = item
    if (!license || !integrity) throw new Error(`package-lock.json has no licence or hash of ${folder}.`)
    return [{ name, version, license, sha512: integrity.replace('sha512-', ''), isOptional: optional === true }]
  })
}
