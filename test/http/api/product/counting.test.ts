import { join } from 'node:path'
import { test } from 'node:test'
import { APP, startApp, type TestApp } from '../../../kit/app.ts'
import { temporaryFolder } from '../../../kit/folder.ts'
import { record, releasesYaml } from '../../../kit/releases.ts'
import { startTestService } from '../../../kit/service.ts'
import { until } from '../../../kit/until.ts'

const files = { 'releases.yaml': releasesYaml({ launcher: [record('1.0.0')] }) }

const total = async ({ fetchJson }: Pick<TestApp, 'fetchJson'>) =>
  (await fetchJson(`${APP}/stats/downloads`)).body.total as number

test('downloads just before a clean stop are counted after the next start', async (t) => {
  const folder = await temporaryFolder(t)
  const settings = { DATA_DIR: join(folder, 'data'), CONTENT_DIR: join(folder, 'content') }
  const app = await startApp(t, files, settings)
  for (let n = 0; n < 25; n++) await app.fetch('/download/launcher')
  await app.service.stop()
  const next = await startTestService(t, settings)
  await until(async () => (await total(next)) === 25)
})
