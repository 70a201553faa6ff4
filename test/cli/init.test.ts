import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadSettings } from '../../src/cli/load-settings.ts'
import { listSettings } from '../../src/config/config.ts'
import { formatProgramCall, formatPublicProgramCall } from '../../src/config/root.ts'
import { commandLine } from '../kit/command-line.ts'
import { temporaryFolder } from '../kit/folder.ts'
import { PROGRAM } from '../kit/root.ts'
import { until } from '../kit/until.ts'

test('a service runs in the new folder with its settings and content, and the doctor finds no errors', async (t) => {
  const { folder, program, env } = await commandLine(t)
  const { code, stdout } = await program.run('init', 'mine')
  assert.equal(code, 0)
  assert.match(
    stdout,
    /^Created mine: \d+ files\.\n\nNext steps, in that folder \(cd mine\):\n {2}1\. .* serve\n[\s\S]* 2\. [\s\S]* 3\. /,
  )
  const mine = join(folder, 'mine')
  const text = await readFile(join(mine, '.env'), 'utf8')
  for (const [name, { default: value }] of listSettings()) assert.ok(text.includes(`\n# ${name}=${value}\n`), name)
  const { problems, namesInFile: inFile } = loadSettings({}, {}, join(mine, '.env'))
  assert.deepEqual([problems, inFile], [[], []])
  assert.equal((await stat(join(mine, '.env'))).mode & 0o777, 0o600)
  assert.equal((await stat(join(mine, 'data'))).mode & 0o777, 0o700)
  assert.equal(await readFile(join(mine, '.gitignore'), 'utf8'), '.env*\ndata/\nbackup/\n*.sqlite*\n.publishing\n')

  await writeFile(join(mine, '.env'), text.replace('# PORT=4010', 'PORT=0').replace('# APP_NAME=app', 'APP_NAME=mine'))
  await writeFile(join(mine, 'content/string/8ball.txt'), 'only this\n')
  const { CONTENT_DIR: _, DATA_DIR: __, ...bare } = env
  const start = (...words: string[]) => spawn(process.execPath, [PROGRAM, ...words, '--json'], { cwd: mine, env: bare })
  const service = start('serve')
  t.after(() => void service.kill('SIGKILL'))
  let output = ''
  service.stdout.on('data', (part) => {
    output += part
  })
  await until(() => output.endsWith('\n'), 20_000)
  const { url } = JSON.parse(output)
  const { message } = (await (await fetch(`${url}/api/v1/string/8ball`)).json()) as { message: string }
  assert.equal(message, 'only this')
  assert.equal((await fetch(`${url}/api/v5/mine/launcher/updates`)).status, 200)
  assert.ok((await readdir(join(mine, 'data'))).includes('logs'))
  const exited = once(service, 'exit')
  service.kill('SIGTERM')
  await exited
  const [healthy] = await once(start('doctor'), 'exit')
  assert.equal(healthy, 0)
})

test('existing files that differ are listed and kept; --force renames them', async (t) => {
  const { folder, json, fail, run } = await commandLine(t)
  const mine = join(folder, 'mine')
  await mkdir(join(mine, 'content/kaomoji'), { recursive: true })
  await writeFile(join(mine, '.env'), 'PORT=80\n')
  await writeFile(join(mine, 'content/kaomoji/cat.txt'), 'mine\n')
  await writeFile(join(mine, 'content/kaomoji/own.txt'), 'mine\n')
  assert.match(await fail('init', mine), /2 files differ: \.env, content\/kaomoji\/cat\.txt\. Use --force/)
  assert.deepEqual((await readdir(mine)).sort(), ['.env', 'content'])

  const dry = await json('init', mine, '--force', '--dry-run')
  assert.ok(dry.dryRun && dry.files.includes('README.md') && dry.files.includes('.env'))
  assert.deepEqual((await readdir(mine)).sort(), ['.env', 'content'])

  const made = await json('init', mine, '--force')
  assert.deepEqual(made.renamed, ['.env.before', 'content/kaomoji/cat.txt.before'])
  assert.equal(await readFile(join(mine, '.env.before'), 'utf8'), 'PORT=80\n')
  assert.equal(await readFile(join(mine, 'content/kaomoji/own.txt'), 'utf8'), 'mine\n')
  assert.deepEqual((await json('init', mine)).files, [])
  for (const words of [[], ['--dry-run']]) {
    assert.equal((await run('init', mine, ...words)).stdout, `${mine} is complete.\n`)
  }
  await writeFile(join(mine, '.env'), 'PORT=81\n')
  assert.deepEqual((await json('init', mine, '--force')).renamed, ['.env.before-2'])
  assert.equal(await readFile(join(mine, '.env.before'), 'utf8'), 'PORT=80\n')
})

test('a file, a dangling link and a missing argument are reported; an invalid .env in the current folder is ignored', async (t) => {
  const { folder, fail, program } = await commandLine(t)
  const file = join(folder, 'file')
  await writeFile(file, '')
  assert.equal(await fail('init', file), `${file} is not a folder.`)
  assert.match(await fail('init', join(file, 'below')), /not a directory\.$/)
  assert.match(await fail('init'), /^The argument <folder> is missing/)
  await mkdir(join(folder, 'linked'))
  await symlink('/nowhere/at/all', join(folder, 'linked/.env'))
  assert.match(await program.fail('init', 'linked'), /1 file differs: \.env\./)
  await writeFile(join(folder, '.env'), 'PROT=1\n')
  assert.equal((await program.run('init', 'fine')).code, 0)
})

test('printed commands can be copied into a shell: in a container, an installation, a project and a clone', async (t) => {
  const root = join(await temporaryFolder(t), 'a clone')
  const calls = () => [
    formatProgramCall(root, root),
    formatProgramCall(root, '/srv'),
    formatPublicProgramCall(root, '/srv'),
  ]
  await mkdir(join(root, 'scripts'), { recursive: true })
  assert.deepEqual(calls(), Array(3).fill('docker compose exec menagerie node dist/main.js'))
  await writeFile(join(root, 'scripts', 'menagerie.mjs'), '')
  assert.deepEqual(calls(), Array(3).fill('menagerie'))
  const project = await temporaryFolder(t)
  const localRoot = join(project, 'node_modules', 'menagerie')
  await mkdir(join(localRoot, 'scripts'), { recursive: true })
  await writeFile(join(localRoot, 'scripts', 'menagerie.mjs'), '')
  await writeFile(join(project, 'package.json'), '{}')
  assert.equal(formatProgramCall(localRoot, '/srv'), 'npx menagerie')
  await writeFile(join(root, 'package-lock.json'), '{}')
  const shown = ['npm run menagerie --', `node '${root}/scripts/menagerie.mjs'`, 'node <clone>/scripts/menagerie.mjs']
  assert.deepEqual(calls(), shown)
})
