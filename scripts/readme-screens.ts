// Takes the pictures of the pages for the README: docs/pictures/. Run it when the pages change; it needs Chromium.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium as driver } from 'playwright-core'
import sharp from 'sharp'
import { readConfig } from '../src/config.ts'
import { startService } from '../src/main.ts'
import { chromium } from '../test/kit/parts.ts'

const ROOT = join(import.meta.dirname, '..')
const SIZE = { width: 1280, height: 800 }

const dataDir = await mkdtemp(join(tmpdir(), 'menagerie-screens-'))
const settings = { PORT: '0', LOG_LEVEL: 'silent', DATA_DIR: dataDir, CONTENT_DIR: join(ROOT, 'content') }
const service = await startService(readConfig(settings))
const browser = await driver.launch({ executablePath: chromium ?? '', args: ['--no-sandbox', '--disable-gpu'] })
try {
  const picture = `${service.url}/media/animals/fox/~c.png`
  const screens = {
    front: '/?animal=fox',
    playground: `/playground?${new URLSearchParams({ image: picture, filter: 'blur', strength: '14' })}`,
  }
  for (const [name, path] of Object.entries(screens)) {
    const page = await browser.newPage({ viewport: SIZE, colorScheme: 'light', reducedMotion: 'reduce' })
    await page.goto(service.url + path, { waitUntil: 'networkidle' })
    const file = join(ROOT, 'docs', 'pictures', `${name}.webp`)
    await sharp(await page.screenshot())
      .webp({ quality: 84 })
      .toFile(file)
    await page.close()
  }
} finally {
  await browser.close()
  await service.stop()
  await rm(dataDir, { recursive: true, force: true })
}
