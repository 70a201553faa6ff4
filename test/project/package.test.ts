import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { temporaryFolder } from '../kit/folder.ts'
import { ROOT } from '../kit/root.ts'
import { untilEqual } from '../kit/until.ts'

const run = promisify(execFile)

/** What `npm pack` would publish, unpacked where `npm install` would put it, beside the dependencies that it names. */
async function installPackage(folder: string): Promise<string> {
  // Builds what is stale.
  await run(process.execPath, [join(ROOT, 'scripts', 'menagerie.mjs'), '--version'])
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: ROOT,
  })
  const [{ filename }] = JSON.parse(stdout)
  const home = join(folder, 'node_modules', 'menagerie')
  await mkdir(home, { recursive: true })
  await run('tar', ['-xzf', join(folder, filename), '--strip-components=1', '-C', home])
  const { dependencies } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8'))
  for (const name of Object.keys(dependencies)) {
    await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name))
  }
  return join(home, 'scripts', 'menagerie.mjs')
}

test('the installed package serves, draws, filters and answers commands, without its sources', async (t) => {
  const folder = await temporaryFolder(t)
  const program = await installPackage(folder)
  const env = { PATH: process.env.PATH ?? '', PORT: '0' }

  const service = spawn(process.execPath, [program, 'serve'], { cwd: folder, env })
  t.after(() => service.kill('SIGKILL'))
  const [banner] = await once(service.stdout, 'data')
  const url = /http:[^ ]*(?=\/api\n)/.exec(String(banner))?.[0] ?? ''
  assert.match(String(banner), /copy of the shipped examples.*\n {2}menagerie init \. adds/)

  const { message } = (await (await fetch(`${url}/api/v2/random/animal/cat`)).json()) as { message: string }
  const filtered = await fetch(`${url}/api/v1/filter/invert?image=${encodeURIComponent(message)}`)
  assert.equal(filtered.status, 200, 'a thread of the bundle filters')
  assert.match(filtered.headers.get('content-type') ?? '', /^image\//)
  await filtered.arrayBuffer()
  for (const path of ['/', '/docs', '/playground', '/api/v5/app/launcher/news', '/api/v5/app/stats/downloads']) {
    const reply = await fetch(url + path)
    assert.equal(reply.status, 200, path)
    await reply.text()
  }
  const readReadiness = async () => {
    const { state, problems = [] } = (await (await fetch(`${url}/readyz`)).json()) as {
      state: string
      problems?: object[]
    }
    return { state, problems }
  }
  // A busy machine blocks the event loop, which is reported for half a minute.
  await untilEqual(readReadiness, { state: 'ok', problems: [] }, 60_000)
  const blocked = await fetch(`${url}/api/v1/filter/invert?image=http://bit.ly/a.png`)
  assert.equal(((await blocked.json()) as { code: string }).code, 'IMAGE_HOST_BLOCKED')

  const { stdout: list } = await run(process.execPath, [program, 'content', 'list', '--json'], { cwd: folder, env })
  assert.equal(JSON.parse(list).success, true)

  service.kill('SIGTERM')
  const [code] = await once(service, 'exit')
  assert.equal(code, 0)
})
