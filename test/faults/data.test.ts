// The data folder, or files in it, are removed or overwritten under the service.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { temporaryFolder } from '../kit/folder.ts'
import { readLogs } from '../kit/log-files.ts'
import { record, releasesYaml, writeFiles } from '../kit/releases.ts'
import { fetchJson, type ServiceProcess, spawnService } from '../kit/service-process.ts'
import { until } from '../kit/until.ts'

async function start(t: TestContext) {
  const folder = await temporaryFolder(t)
  await writeFiles(join(folder, 'content'), {
    'app/releases.yaml': releasesYaml({ launcher: [record('1.0.0')] }),
    'blocklist.txt': 'blocked.example\n',
  })
  const settings = { CONTENT_DIR: join(folder, 'content'), DATA_DIR: join(folder, 'data') }
  const startAgain = async () => {
    const service = await spawnService(t, settings)
    return { service, url: await service.opened }
  }
  return { ...settings, settings, startAgain, ...(await startAgain()) }
}

async function download(url: string, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const { status } = await fetch(`${url}/api/v5/app/download/launcher`, { redirect: 'manual' })
    assert.equal(status, 302)
  }
}

const countDownloads = async (url: string) => (await fetchJson(`${url}/api/v5/app/stats/downloads`)).total

const untilReported = (url: string, part: string, pattern: RegExp) =>
  until(async () => {
    const { problems } = (await fetchJson(`${url}/readyz`)) as { problems: { part: string; message: string }[] }
    return problems.some((problem) => problem.part === part && pattern.test(problem.message))
  })

async function kill({ child, exited }: ServiceProcess): Promise<void> {
  child.kill('SIGKILL')
  await exited
}

describe('data faults', { concurrency: 3 }, () => {
  test('a data folder that is removed is created again, with everything that was in it, and reported', async (t) => {
    const { DATA_DIR, settings, service, url, startAgain } = await start(t)
    await download(url, 3)
    await until(async () => (await countDownloads(url)) === 3)
    // At one moment: otherwise the service may write a file again before all are gone.
    await rename(DATA_DIR, `${DATA_DIR}-removed`)
    await rm(`${DATA_DIR}-removed`, { recursive: true, maxRetries: 10 })
    await untilReported(url, 'data', /the data folder or its lock was removed while it was in use/)
    await untilReported(url, 'store', /menagerie\.sqlite was removed .* it was written again with its former content/)
    await untilReported(url, 'log', /a log file was deleted/)
    await untilReported(url, 'data', /generated files; they are written again: .*openapi\.json/)
    await download(url, 2)
    const files = ['menagerie.sqlite', 'service.lock', 'generated/openapi.json', 'last-good/blocklist/state.json']
    await until(() => files.every((file) => existsSync(join(DATA_DIR, file))))
    await until(async () => (await readLogs(DATA_DIR)).includes('/api/v5/app/download/launcher'))

    const second = await spawnService(t, settings)
    assert.notEqual(await second.exited, 0)
    assert.match(second.output(), /Another service uses DATA_DIR/)
    await kill(service)
    const { url: newUrl } = await startAgain()
    await until(async () => (await countDownloads(newUrl)) === 5)
  })

  test('a database that is overwritten loses no download, also if the service is killed', async (t) => {
    const { DATA_DIR, service, url, startAgain } = await start(t)
    await download(url, 3)
    await until(async () => (await countDownloads(url)) === 3)
    await writeFile(join(DATA_DIR, 'menagerie.sqlite'), 'no database')
    await download(url, 2)
    await untilReported(url, 'store', /menagerie\.sqlite was overwritten .* it was written again/)
    await until(async () => /"level":"error".*menagerie\.sqlite was overwritten/.test(await readLogs(DATA_DIR)))
    await kill(service)
    const { url: newUrl } = await startAgain()
    await until(async () => (await countDownloads(newUrl)) === 5)
  })

  test('log files and generated files that are deleted are created again, and reported', async (t) => {
    const { DATA_DIR, url } = await start(t)
    await fetchJson(`${url}/api/v1/version`)
    const [logs, generated] = [join(DATA_DIR, 'logs'), join(DATA_DIR, 'generated')]
    await until(async () => (await readLogs(DATA_DIR)).includes('/api/v1/version'))
    const names = await readdir(generated)
    for (const name of await readdir(logs)) await rm(join(logs, name))
    await rm(join(generated, 'errors.json'))
    await writeFile(join(generated, 'openapi.json'), '{}')
    await rm(join(generated, 'statistics'), { recursive: true })
    await untilReported(url, 'log', /a log file was deleted by another program/)
    await untilReported(url, 'data', /they are written again: /)
    await until(async () => (await readdir(generated)).length === names.length)
    await until(
      async () => (await fetchJson(`${url}/api/v1/static/generated/openapi.json`)).content.openapi === '3.1.0',
    )
    await until(async () => /a log file was deleted[\s\S]*another program removed/.test(await readLogs(DATA_DIR)))
  })
})
