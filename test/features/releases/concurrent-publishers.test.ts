import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, writeSync } from 'node:fs'
import { chmod, chown, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { editFiles, listReleases, publishRelease, setTier } from '../../../src/features/releases/index.ts'
import { replaceUnedited, withLock } from '../../../src/platform/files/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { SHA256 } from '../../kit/releases.ts'
import { ROOT } from '../../kit/root.ts'

const PUBLISHER = join(ROOT, 'test', 'kit', 'publisher.ts')

async function prepared(t: TestContext) {
  const dir = await temporaryFolder(t)
  const file = join(await temporaryFolder(t), 'setup.exe')
  await writeFile(file, Buffer.alloc(200_000, 'x'))
  const start = (versions: string[]) => {
    const child = spawn(process.execPath, [...process.execArgv, PUBLISHER, dir, file, ...versions], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(child, 'exit')
    return { child, done: text(child.stdout).then((out) => out.split('\n').filter(Boolean)), ended }
  }
  const versions = async () => new Set((await listReleases(dir)).map(({ version }) => version))
  return { dir, start, versions }
}

const numbered = (major: number, count: number) => Array.from({ length: count }, (_, n) => `${major}.${n}.0`)
const publishOne = (dir: string, version: string) =>
  publishRelease({
    dir,
    application: 'launcher',
    version,
    assets: [{ url: 'https://cdn.example/', bytes: 1, sha256: SHA256 }],
    force: true,
  })

test('two concurrent publishers lose no update', async (t) => {
  const { start, versions } = await prepared(t)
  const publishers = [start(numbered(1, 8)), start(numbered(2, 8))]
  for (const { done } of publishers) assert.equal((await done).length, 8)
  assert.deepEqual(await versions(), new Set([...numbered(1, 8), ...numbered(2, 8)]))
})

test('a killed publisher leaves a valid file with everything that it reported, and blocks nobody', async (t) => {
  const { dir, start, versions } = await prepared(t)
  const reported = new Set<string>()
  for (let round = 1; round <= 3; round++) {
    const { child, done, ended } = start(numbered(round, 60))
    await once(child.stdout, 'data')
    await sleep(Math.random() * 60)
    child.kill('SIGKILL')
    await ended
    for (const version of await done) reported.add(version)
    await publishOne(dir, `100.${round}.0`)
    reported.add(`100.${round}.0`)
    const listed = await versions()
    assert.deepEqual(
      [...reported].filter((version) => !listed.has(version)),
      [],
    )
  }
})

test('a file that an editor saves during a change is not overwritten', async (t) => {
  const dir = await temporaryFolder(t)
  const file = join(dir, 'tiers.yaml')
  const message = 'tiers.yaml was edited at the same time. Try again.'
  const edit = (text: string) => writeFile(file, `3: { benefits: [${text}] }\n`)
  const change = (isEditedFirst: boolean) =>
    editFiles(dir, {}, async ({ read, write }) => {
      await read('tiers.yaml')
      if (isEditedFirst) await edit('Ours')
      await write('tiers.yaml', '2: { benefits: [A badge] }\n')
      if (!isEditedFirst) await edit('Theirs')
      return {}
    })
  await assert.rejects(change(true), { message })
  assert.match(await readFile(file, 'utf8'), /Ours/)
  await assert.rejects(change(false), { message })
  assert.match(await readFile(file, 'utf8'), /Theirs/)
})

test('an editor that writes to a file at the moment when it is replaced or removed keeps its version', async (t) => {
  const dir = await temporaryFolder(t)
  const [file, from] = [join(dir, 'tiers.yaml'), join(dir, 'new')]
  for (const replacement of [from, null]) {
    await writeFile(file, 'old')
    await writeFile(from, 'new')
    const opened = openSync(file, 'r+')
    const writeAfterwards = (bytes: Buffer | null) => {
      const isUnedited = bytes?.toString() === 'old'
      writeSync(opened, 'our', 0)
      return isUnedited
    }
    assert.equal(replaceUnedited(file, replacement, writeAfterwards), false)
    closeSync(opened)
    assert.equal(await readFile(file, 'utf8'), 'our')
  }
  assert.deepEqual(await readdir(dir), ['new', 'tiers.yaml'])
})

test('a change of a linked file is written to its target', async (t) => {
  const [dir, elsewhere] = [await temporaryFolder(t), await temporaryFolder(t)]
  await writeFile(join(elsewhere, 'ours.yaml'), '')
  await symlink(join(elsewhere, 'ours.yaml'), join(dir, 'tiers.yaml'))
  await setTier({ dir, tier: '2', benefits: ['A badge'] })
  assert.match(await readFile(join(elsewhere, 'ours.yaml'), 'utf8'), /A badge/)
})

test('a file that is not UTF-8 is not changed, because its characters would be lost', async (t) => {
  const dir = await temporaryFolder(t)
  const latin1 = Buffer.from('# für\n', 'latin1')
  await writeFile(join(dir, 'tiers.yaml'), latin1)
  await assert.rejects(setTier({ dir, tier: '2', benefits: ['A badge'] }), /tiers\.yaml is not UTF-8/)
  assert.deepEqual(await readFile(join(dir, 'tiers.yaml')), latin1)
})

test('publishers of one process run one at a time, and one that waits for too long is refused', async (t) => {
  const dir = await temporaryFolder(t)
  let inside = 0
  const work = async () => {
    assert.equal(++inside, 1)
    const refused = withLock(dir, false, async () => assert.fail('two at once'), 1)
    await assert.rejects(refused, { message: 'Another process is publishing. Wait for it.' })
    inside--
  }
  await Promise.all(Array.from({ length: 20 }, () => withLock(dir, false, work)))
})

/** Runs a publisher as a user that is not root. */
async function publishAs(uid: number, dir: string): Promise<string> {
  const program = `
    process.setgid(${uid})
    process.setuid(${uid})
    await withLock(${JSON.stringify(dir)}, false, async () => console.log('published')).catch((error) => console.log(error.message))`
  const from = JSON.stringify(join(ROOT, 'src/platform/files/lock-file.ts'))
  const code = `import { withLock } from ${from}\n${program}`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return text(child.stdout)
}

const needsRoot = process.getuid?.() === 0 ? {} : { skip: 'needs root' }

test('a lock file of root, which others cannot lock, lets nobody publish without a lock', needsRoot, async (t) => {
  const dir = await temporaryFolder(t)
  const user = 65_534
  await chown(dir, user, user)
  await chmod(dir, 0o755)
  const file = join(dir, '.publishing')
  await writeFile(file, '', { mode: 0o644 })
  assert.match(await publishAs(user, dir), /Nothing was changed: EACCES.*\.publishing/)
  // The next command of root makes the owner of the folder the owner of the file.
  await withLock(dir, false, async () => {})
  assert.equal((await stat(file)).uid, user)
  assert.equal(await publishAs(user, dir), 'published\n')
})
