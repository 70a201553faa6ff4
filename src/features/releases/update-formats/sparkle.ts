import type { Arch, Asset, AssetKind, Platform } from '../asset.ts'
import { isEdDsaSignature, selectAssets, selectKinds } from '../asset.ts'
import { escapeXml } from '../news-feed.ts'
import type { ReleaseLinks } from '../offers.ts'
import { renderMarkdown } from '../read/parse-news.ts'
import type { Release } from '../release.ts'

const NAMESPACE = 'http://www.andymatuschak.org/xml-namespaces/sparkle'
/** For each machine. Sparkle updates to the newest release. The others let older versions show what changed. */
const MAX_RELEASES = 50
/** For the notes of all items together. Rendering this much takes a tenth of a second, in which other clients wait. */
const MAX_NOTES_LENGTH = 100_000

/** What Sparkle (macOS) and WinSparkle (Windows) can install, the best first. */
const installableKinds: Partial<Record<Platform, readonly AssetKind[]>> = {
  macos: ['dmg', 'zip', 'tar', 'pkg'],
  windows: ['nsis', 'msi'],
}
/** The names that `sparkle:os` has for machines. WinSparkle knows architectures; Sparkle knows universal applications. */
const machines: readonly (readonly [os: string, platform: Platform, arch: Arch])[] = [
  ['macos', 'macos', 'x64'],
  ['macos', 'macos', 'arm64'],
  ['windows-x64', 'windows', 'x64'],
  ['windows-arm64', 'windows', 'arm64'],
  ['windows-x86', 'windows', 'ia32'],
]

interface AppcastOptions {
  readonly title: string
  readonly url: string
  readonly links: ReleaseLinks
  /** Sparkle has no address to resolve the links of the notes against. */
  readonly makeLinksAbsolute: (html: string) => string
}

/**
 * The appcast of Sparkle and WinSparkle: one item per release for macOS, and one for each architecture of Windows. Both
 * ignore items of others. A release for macOS without an EdDSA signature is left out, because Sparkle refuses it.
 */
export function formatAppcast(releases: readonly Release[], options: AppcastOptions): string {
  const { title, url, links, makeLinksAbsolute } = options
  let notesLength = 0
  const counts = new Map(machines.map(([os]) => [os, 0]))
  const items = releases.flatMap((release) => {
    const files = selectFiles(release).filter(({ os }) => counts.get(os)! < MAX_RELEASES)
    if (files.length === 0) return []
    for (const { os } of files) counts.set(os, counts.get(os)! + 1)
    notesLength += release.notes.length
    const notes = notesLength <= MAX_NOTES_LENGTH ? makeLinksAbsolute(renderNotes(release)) : ''
    return files.map((file) => formatItem(release, notes, file, links))
  })
  const channel = [
    element('title', title),
    element('link', url),
    element('description', `${title}: releases, newest first`),
    ...items,
  ]
  return `<?xml version="1.0" encoding="utf-8"?>\n<rss version="2.0" xmlns:sparkle="${NAMESPACE}"><channel>\n${channel.join('\n')}\n</channel></rss>\n`
}

interface MachineFile {
  readonly os: string
  readonly arch: Arch
  readonly asset: Asset
}

/** The file of a release for each machine that has one. */
function selectFiles({ assets }: Release): MachineFile[] {
  const files = new Map<string, MachineFile>()
  for (const [os, platform, arch] of machines) {
    const kinds = installableKinds[platform]!
    const usable = selectAssets(assets, { platform, arch }).filter(
      (asset) => kinds.includes(asset.kind) && (platform !== 'macos' || isEdDsaSignature(asset.signature)),
    )
    // On Windows the architecture counts more than the kind: x64 must not get a 32-bit installer instead of its own.
    const [asset] = platform === 'macos' ? selectKinds(usable, kinds) : usable
    // A Mac with an Apple processor also runs x64: it needs its own item only if there is no other.
    if (asset && !files.has(os)) files.set(os, { os, arch, asset })
  }
  return [...files.values()]
}

function formatItem(release: Release, notes: string, { os, arch, asset }: MachineFile, links: ReleaseLinks): string {
  const { version, date, beta, minimum, autoUpdateFrom } = release
  const fields = [
    element('title', version),
    // The format in Sparkle's documentation ends with an offset.
    element('pubDate', new Date(date).toUTCString().replace('GMT', '+0000')),
    element('sparkle:version', version),
    element('sparkle:shortVersionString', version),
    ...(beta ? [element('sparkle:channel', 'beta')] : []),
    // Versions below it cannot skip the update.
    ...(minimum ? [element('sparkle:criticalUpdate', '', { 'sparkle:version': minimum.text })] : []),
    ...(autoUpdateFrom ? [element('sparkle:minimumAutoupdateVersion', autoUpdateFrom.text)] : []),
    ...(os === 'macos' && arch === 'arm64' ? [element('sparkle:hardwareRequirements', 'arm64')] : []),
    element('description', notes),
    formatEnclosure(release, asset, os, links),
  ]
  return `<item>\n${fields.join('\n')}\n</item>`
}

function formatEnclosure(release: Release, asset: Asset, os: string, links: ReleaseLinks): string {
  const { signature } = asset
  return element('enclosure', '', {
    url: links.downloadByName({ release, asset }),
    length: String(asset.bytes),
    type: 'application/octet-stream',
    'sparkle:os': os,
    ...(isEdDsaSignature(signature) && { 'sparkle:edSignature': signature! }),
  })
}

const renderedNotes = new WeakMap<Release, string>()

function renderNotes(release: Release): string {
  const html = renderedNotes.get(release) ?? renderOrEscape(release.notes)
  renderedNotes.set(release, html)
  return html
}

/** Markdown that is nested too deeply cannot be rendered, but the update must be offered. */
function renderOrEscape(markdown: string): string {
  try {
    return renderMarkdown(markdown)
  } catch {
    return `<pre>${escapeXml(markdown)}</pre>`
  }
}

function element(name: string, text: string, attributes: Readonly<Record<string, string>> = {}): string {
  const start = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${escapeXml(value).replaceAll('"', '&quot;')}"`,
  )
  return `<${name}${start.join('')}>${escapeXml(text)}</${name}>`
}
