// The endpoints of the product (v5), with everything enabled, compared with bare node:http that sends the same reply;
// 304 compared with 200; a counted update check compared with one that is not counted; a long release history compared
// with a short one that gives the same reply; the start and an edit with a long history; and the store
// (bench/store.ts). `npm run bench -- app history` runs one part.
import { hash, randomBytes } from 'node:crypto'
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import {
  bench,
  type Contender,
  compare,
  HIGH_LIMITS,
  type LoadOptions,
  measureDownload,
  printTable,
  startBareCopyOf,
  startMenagerie,
  startServer,
  temporaryFolder,
} from './harness.ts'

const APP = '/api/v5/app'
// Many short rounds, so that other load on the machine affects both sides.
const LOAD = { rounds: 15, seconds: 1 }

const ENDPOINTS = [
  '/stats/downloads',
  '/launcher/updates',
  '/launcher/updates?current=0.9.0',
  '/launcher/updates/beta.yml',
  '/launcher/news',
  '/launcher/news?format=atom',
  '/version/app/launcher',
  '/version/app/launcher/resources',
  '/version/tier/2',
]
const DOWNLOAD = '/download/reshade'

/**
 * Creates a content folder. The newest releases and news are the same, whatever the numbers are. With `hasFiles` the
 * launcher has files in the folder instead of URLs, and is the only application.
 */
function createContent(releases: number, news: number, hasFiles = false): string {
  const dir = temporaryFolder()
  const app = join(dir, 'app')
  mkdirSync(join(app, 'news'), { recursive: true })
  mkdirSync(join(app, 'files'))
  const day = (age: number) => new Date(Date.UTC(2025, 0, 1) - age * 86_400_000).toISOString().slice(0, 10)
  const release = (age: number) => {
    const version = `${99 - Math.floor(age / 100)}.${99 - (age % 100)}.0`
    const files = ['x64.exe', 'arm64.exe', 'mac.zip', 'arm64-mac.zip', 'x64.AppImage', 'arm64.AppImage']
    const assets = files.map((suffix) => {
      const name = `${version}-${suffix}`
      if (hasFiles) writeFileSync(join(app, 'files', name), 'x')
      const url = `https://downloads.example.invalid/${name}`
      const source = hasFiles ? { file: name, bytes: 1 } : { url, bytes: 84_200_000 }
      return { ...source, sha256: 'ab'.repeat(32), sha512: 'cd'.repeat(64) }
    })
    return `  - ${JSON.stringify({ version, date: day(age), assets })}\n`
  }
  const history = Array.from({ length: releases }, (_, age) => release(age)).join('')
  writeFileSync(join(app, 'releases.yaml'), `launcher:\n${history}${hasFiles ? '' : `reshade:\n${history}`}`)
  for (let age = 0; age < news; age++) {
    const text = `---\ntitle: News ${age}\ndate: ${day(age)}\n---\nSome **news** of that day.\n`
    writeFileSync(join(app, 'news', `news-${age}.md`), text)
  }
  return dir
}

const startBare = async (url: string): Promise<Contender> => ({
  name: 'bare node:http',
  url: await startBareCopyOf(url),
})

const rows: string[] = []

function measure(name: string, contenders: [Contender, Contender], goal: number, load: LoadOptions = LOAD): void {
  const results = compare(contenders, load)
  printTable(name, results)
  rows.push(`| ${name} | ${results[1]?.ratio.toFixed(2)} | ${goal.toFixed(2)} |`)
}

const parts: Record<string, (starter: string) => Promise<void>> = {
  async endpoints(starter) {
    for (const path of ENDPOINTS) {
      const url = starter + path
      measure(`GET ${path}`, [await startBare(url), { name: 'Menagerie', url }], 0.8)
    }
  },
  async download(starter) {
    const url = starter + DOWNLOAD
    measure(`GET ${DOWNLOAD}, counted`, [await startBare(url), { name: 'Menagerie', url }], 0.75)
  },
  async adoption() {
    // In one process, because two differ by more than the counting costs.
    const server = await startServer('bench/servers/checks.ts', [], { ...HIGH_LIMITS, DATA_DIR: temporaryFolder() })
    const path = '/launcher/updates?current=0.9.0'
    const senders: Record<string, Record<string, string>> = {
      'an install id': { 'X-Install-Id': '5f0c4b1e-7d3a-4c55-9a51-0f6c2f4d8e21' },
      'an address': {},
    }
    for (const [sender, headers] of Object.entries(senders)) {
      const pair: [Contender, Contender] = [
        { name: 'not counted', url: `${server}/uncounted${path}`, headers },
        { name: 'counted', url: `${server}/counted${path}`, headers },
      ]
      measure(`GET ${path} by ${sender}, counted compared with not counted`, pair, 0.97)
    }
  },
  async file() {
    const folder = temporaryFolder()
    const file = join(folder, 'app/files/large.exe')
    mkdirSync(dirname(file), { recursive: true })
    const bytes = randomBytes(200_000_000)
    writeFileSync(file, bytes)
    const record = { file: 'large.exe', bytes: bytes.length, sha256: hash('sha256', bytes) }
    const release = JSON.stringify({ version: '1.0.0', date: '2025-01-01', ...record })
    writeFileSync(join(folder, 'app/releases.yaml'), `launcher:\n  - ${release}\n`)
    const bare = { name: 'bare node:http', url: await startServer('bench/servers/bare-file.ts', [file]) }
    const url = `${await startMenagerie({ CONTENT_DIR: folder })}${APP}/download/launcher`
    measure('A file of 200 MB', [bare, { name: 'Menagerie', url }], 0.9, { rounds: 15, measureRate: measureDownload })
    const list = (count: number) => Array.from({ length: count }, (_, i) => `${200_000 * i}-${200_000 * i}`).join(',')
    const ranges = (count: number) => ({ name: `ranges: ${count}`, url, headers: { Range: `bytes=${list(count)}` } })
    measure('1,000 ranges of it compared with one', [ranges(1), ranges(1000)], 0.04, { ...LOAD, connections: 1 })
  },
  async unchanged(starter) {
    for (const path of ['/launcher/updates', '/launcher/news']) {
      const url = starter + path
      const etag = (await fetch(url)).headers.get('etag') ?? ''
      const conditional = { name: '304', url, headers: { 'If-None-Match': etag } }
      measure(`304 compared with 200, ${path}`, [{ name: '200', url }, conditional], 1)
    }
  },
  async history() {
    const [few, many] = [createContent(10, 60), createContent(2000, 5000)]
    const [short, long] = [await startMenagerie({ CONTENT_DIR: few }), await startMenagerie({ CONTENT_DIR: many })]
    for (const path of [
      '/launcher/updates?current=99.95.0',
      '/launcher/news?format=atom',
      '/version/app/launcher',
      DOWNLOAD,
    ]) {
      const pair: [Contender, Contender] = [
        { name: '10 releases of six files, 60 news', url: short + APP + path },
        { name: '2,000 releases of six files, 5,000 news', url: long + APP + path },
      ]
      measure(`GET ${path}, long history compared with short`, pair, 0.95)
    }
    for (const path of ['/launcher/updates', '/launcher/news']) {
      const url = long + APP + path
      measure(`GET ${path}, complete long history`, [await startBare(url), { name: 'Menagerie', url }], 0.8)
    }
  },
  async changes() {
    for (const count of [10, 2000]) {
      const folder = createContent(count, 0, true)
      const started = performance.now()
      const url = `${await startMenagerie({ CONTENT_DIR: folder })}${APP}/version/app/launcher`
      const startSeconds = (performance.now() - started) / 1000
      const seconds = []
      for (let age = 0; age < 5; age++) {
        const version = `100.${age}.0`
        const release = { version, date: '2025-01-01', url: 'https://downloads.example.invalid/a.exe', bytes: 1 }
        appendFileSync(
          join(folder, 'app/releases.yaml'),
          `  - ${JSON.stringify({ ...release, sha256: 'ab'.repeat(32) })}\n`,
        )
        const edited = performance.now()
        while (((await (await fetch(url)).json()) as { launcher: { version: string } }).launcher.version !== version) {
          await setTimeout(10)
        }
        seconds.push((performance.now() - edited) / 1000)
      }
      const [shortest = 0, longest = 0] = [Math.min(...seconds), Math.max(...seconds)]
      console.log(
        `\n${count} releases of six files: start ${startSeconds.toFixed(2)} s, ` +
          `an edit is live after ${shortest.toFixed(2)} to ${longest.toFixed(2)} s`,
      )
    }
  },
  async store() {
    await import('./store.ts')
  },
}

await bench(async () => {
  const starter = (await startMenagerie()) + APP
  const selectedPart = process.argv[3]
  for (const [name, run] of Object.entries(parts))
    if (selectedPart === undefined || selectedPart === name) await run(starter)
  console.log(`\n| measurement | ratio | goal (at least) |\n|---|---:|---:|\n${rows.join('\n')}`)
})
