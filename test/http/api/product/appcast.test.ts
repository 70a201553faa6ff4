import assert from 'node:assert/strict'
import { test } from 'node:test'
import Parser from 'rss-parser'
import { startApp } from '../../../kit/app.ts'
import { assets, record, releasesYaml } from '../../../kit/releases.ts'
import { forSuite } from '../../../kit/scope.ts'
import { findChildren, findOnlyChild, parseXml, type XmlElement } from '../../../kit/xml.ts'

const edSignature = Buffer.alloc(64, 7).toString('base64')
const withFields = (line: string, fields: object) => JSON.stringify({ ...JSON.parse(line), ...fields })

const app = forSuite((t) =>
  startApp(t, {
    'releases.yaml': releasesYaml({
      launcher: [
        assets('1.0.0-beta.1', { name: 'beta.exe' }, { name: 'beta.dmg', signature: edSignature }),
        withFields(assets('0.9.5', { name: 'staged.exe' }), { rollout: 0 }),
        assets(
          '0.9.0',
          { name: 'a-universal.dmg', signature: edSignature },
          { name: 'a-x64.exe', signature: edSignature },
          { name: 'a-arm64.exe' },
          { name: 'a.AppImage' },
        ),
        assets('0.8.0', { name: 'old.dmg' }, { name: 'old.zip', platform: 'macos', signature: 'a minisign text' }),
        assets('0.7.0', { name: 'm1-arm64.dmg', signature: edSignature }),
        assets('0.6.1', { name: 'b-x86.exe' }, { name: 'b-x64.msi' }),
        record('0.6.0', {
          url: 'https://cdn.example/0.6.exe',
          minimum: '0.5.1',
          autoUpdateFrom: '0.5',
          notes:
            '# <b>New</b> & "better" \u0007\n\n[all](/docs)\n\n<script>alert(1)</script> [x](javascript:alert(1)) <a onclick="x">y</a>',
        }),
      ],
    }),
  }),
)

const read = async (query = '') => {
  const response = await app().fetch(`/launcher/updates/appcast.xml${query}`)
  assert.equal(response.headers.get('content-type'), 'application/rss+xml; charset=utf-8')
  return response.text()
}

interface Item {
  readonly version: string
  readonly os: string
  readonly file: string
  readonly channel: string | undefined
  readonly isSigned: boolean
}

/** Reads an item by the rules in Sparkle's documentation of appcasts. */
function parseItem(item: XmlElement): Item {
  const readText = (name: string) => findChildren(item, name)[0]?.text
  const version = findOnlyChild(item, 'sparkle:version').text
  assert.match(version, /^\d+(\.\d+)*(-[\w.-]+)?$/)
  assert.equal(readText('sparkle:shortVersionString'), version)
  // E, dd MMM yyyy HH:mm:ss Z
  const date = readText('pubDate') ?? ''
  assert.match(
    date,
    /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d \+0000$/,
  )
  assert.equal(new Date(date).toISOString(), '2026-01-01T00:00:00.000Z')
  const { attributes } = findOnlyChild(item, 'enclosure')
  const { url = '', length = '', type, 'sparkle:os': os = '', 'sparkle:edSignature': signature } = attributes
  assert.match(new URL(url).protocol, /^https?:$/)
  assert.match(length, /^[1-9]\d*$/)
  assert.equal(type, 'application/octet-stream')
  assert.ok(signature === undefined || Buffer.from(signature, 'base64').length === 64)
  const channel = readText('sparkle:channel')
  assert.ok(channel === undefined || /^[A-Za-z0-9._-]+$/.test(channel))
  return { version, os, file: url.split('/').at(-1)!, channel, isSigned: signature !== undefined }
}

const parseAppcast = (xml: string): Item[] => {
  const rss = parseXml(xml)
  assert.deepEqual(rss.attributes, {
    version: '2.0',
    'xmlns:sparkle': 'http://www.andymatuschak.org/xml-namespaces/sparkle',
  })
  return findChildren(findOnlyChild(rss, 'channel'), 'item').map(parseItem)
}

/** Sparkle ignores items of other systems and of channels that the program does not allow. */
const chooseOnMac = (items: readonly Item[], allowedChannels: readonly string[] = []) =>
  items.find(
    ({ os, channel, isSigned }) =>
      (os === '' || os === 'macos') && isSigned && (channel === undefined || allowedChannels.includes(channel)),
  )?.file

/** WinSparkle knows no channels. Items are for its own architecture, for all Windows, or for everyone. */
const chooseOnWindows = (items: readonly Item[], arch: string) =>
  items.find(({ os }) => os === '' || os === 'windows' || os === `windows-${arch}`)?.file

test('Sparkle and WinSparkle each choose the newest item of their machine', async () => {
  const items = parseAppcast(await read())
  assert.equal(chooseOnMac(items), 'a-universal.dmg')
  assert.deepEqual(
    ['x64', 'arm64', 'x86'].map((arch) => chooseOnWindows(items, arch)),
    ['a-x64.exe', 'a-arm64.exe', 'b-x86.exe'],
  )
})

test('betas are only in the appcast of their channel, where Sparkle requires the permission of the program', async () => {
  assert.doesNotMatch(await read(), /beta/)
  const items = parseAppcast(await read('?channel=beta'))
  assert.equal(chooseOnMac(items), 'a-universal.dmg')
  assert.equal(chooseOnMac(items, ['beta']), 'beta.dmg')
  assert.equal(chooseOnWindows(items, 'x64'), 'beta.exe')
})

test('an appcast that a person asked for ignores the rollout', async () => {
  assert.equal(chooseOnWindows(parseAppcast(await read('?manual=true')), 'x64'), 'staged.exe')
})

test('a release without an EdDSA signature is not for macOS, and one for Apple processors says so', async () => {
  const item = [['sparkle:hardwareRequirements', 'requirement']] as [string, string][]
  const { title, items } = await new Parser({ customFields: { item } }).parseString(await read())
  assert.equal(title, 'app')
  const listed = items.map((entry) => {
    const { url = '', ...enclosure } = entry.enclosure as unknown as Record<string, string>
    const { requirement } = entry as { requirement?: string }
    return [entry.title, enclosure['sparkle:os'], url.split('/').at(-1), requirement]
  })
  assert.deepEqual(listed, [
    ['0.9.0', 'macos', 'a-universal.dmg', undefined],
    ['0.9.0', 'windows-x64', 'a-x64.exe', undefined],
    ['0.9.0', 'windows-arm64', 'a-arm64.exe', undefined],
    ['0.7.0', 'macos', 'm1-arm64.dmg', 'arm64'],
    ['0.6.1', 'windows-x64', 'b-x64.msi', undefined],
    ['0.6.1', 'windows-x86', 'b-x86.exe', undefined],
    ['0.6.0', 'windows-x64', '0.6.exe', undefined],
    ['0.6.0', 'windows-arm64', '0.6.exe', undefined],
    ['0.6.0', 'windows-x86', '0.6.exe', undefined],
  ])
  const notes = items.at(-1)?.content ?? ''
  assert.match(notes, /<h1><b>New<\/b> &amp; "better"/)
  assert.ok(notes.includes(`href="${app().url}/docs"`), notes)
  assert.doesNotMatch(notes, /<script|onclick|href="javascript/)
})

test('an update below the minimum is critical in the appcast, and Sparkle asks before a major update', async () => {
  const xml = await read()
  assert.match(xml, /<sparkle:criticalUpdate sparkle:version="0\.5\.1">/)
  assert.match(xml, /<sparkle:minimumAutoupdateVersion>0\.5</)
})
