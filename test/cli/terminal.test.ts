import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { startProgress } from '../../src/cli/progress.ts'
import { table, visible } from '../../src/cli/text.ts'
import { commandLine } from '../kit/command-line.ts'
import { tinyPng } from '../kit/pictures.ts'
import { PROGRAM } from '../kit/root.ts'
import { forSuite } from '../kit/scope.ts'

function screenAt(clock: { now: number }, isTTY: boolean) {
  const written: string[] = []
  const screen = { isTTY, columns: 60, write: (text: string) => written.push(text) }
  return {
    written,
    progress: startProgress(
      screen,
      'Reading',
      (amount) => `${amount} B`,
      () => clock.now,
    ),
  }
}

test('a terminal gets a bar that is redrawn in place and wiped at the end', () => {
  const clock = { now: 0 }
  const { written, progress } = screenAt(clock, true)
  progress.show(0, 200)
  progress.show(1, 200)
  clock.now = 100
  progress.show(100, 200)
  progress[Symbol.dispose]()
  assert.deepEqual(written, [
    '\r\x1b[KReading [------------------------] 0 % 0 B of 200 B',
    '\r\x1b[KReading [############------------] 50 % 100 B of 200 B',
    '\r\x1b[K',
  ])
})

test('elsewhere there is a plain line a second, and none for what is over at once', () => {
  const clock = { now: 0 }
  const { written, progress } = screenAt(clock, false)
  for (clock.now = 0; clock.now < 2500; clock.now += 10) progress.show(clock.now, 5000)
  progress[Symbol.dispose]()
  assert.deepEqual(written, ['Reading: 1000 B of 5000 B\n', 'Reading: 2000 B of 5000 B\n'])
})

test('a name cannot move the cursor or turn the writing direction', () => {
  assert.equal(visible('a\x1b[2Jb\nc\u202ed'), 'a\\u{1b}[2Jb\\u{a}c\\u{202e}d')
  assert.equal(table(['name', 'x'], [['\x1b]0;\x07', 'y']]), 'name            x\n\\u{1b}]0;\\u{7}  y')
})

/** util-linux's `script` runs a command on a terminal of its own. */
const terminal = { skip: spawnSync('script', ['--version']).status === 0 ? false : 'no "script" of util-linux' }

describe('on a real terminal', terminal, () => {
  const line = forSuite(commandLine)
  const onTerminal = (words: string, answers = '', more: Record<string, string> = {}) =>
    new Promise<string>((resolve) => {
      const call = `"${process.execPath}" "${PROGRAM}" ${words}`
      const { folder, env } = line()
      const child = spawn('script', ['-qec', call, '/dev/null'], {
        cwd: folder,
        env: { ...env, TERM: 'xterm', ...more },
      })
      let output = ''
      child.stdout.on('data', (text) => {
        output += text
        // An answer a question: what is typed ahead would be lost between two of them.
        if (answers && String(text).includes('Enter leaves it out')) child.stdin.write(`${answers}\n`)
      })
      child.on('close', () => resolve(output))
    })

  test('there are colours, unless NO_COLOR is set', async () => {
    assert.ok((await onTerminal('release list nothing')).includes('\x1b[31mmenagerie:\x1b[39m'))
    assert.ok((await onTerminal('release list nothing', '', { NO_COLOR: '1' })).startsWith('menagerie:'))
    const { stdout } = await line().run('content', 'list')
    assert.ok(!stdout.includes('\x1b'))
  })

  test('credits that are not given are asked for', async () => {
    await writeFile(join(line().folder, 'a.png'), tinyPng(1))
    const output = await onTerminal('content add cat a.png', 'https://ann.example')
    assert.match(output, /Who made the pictures\. \(author, Enter leaves it out\)/)
    assert.match(output, /Added 1 picture/)
  })
})

test('whoever closes the pipe early gets no stack', async (t) => {
  const { folder, env } = await commandLine(t)
  const { stdout, stderr } = spawnSync('sh', ['-c', `"${process.execPath}" "${PROGRAM}" --help | head -1`], {
    cwd: folder,
    env,
  })
  assert.match(String(stdout), /^Menagerie/)
  assert.equal(String(stderr), '')
})

test('whoever closes both pipes at once changes nothing but what is read', async (t) => {
  const { folder, env } = await commandLine(t)
  const codeOf = async (...words: string[]) => {
    const child = spawn(process.execPath, [PROGRAM, ...words], { cwd: folder, env })
    child.stdout.destroy()
    child.stderr.destroy()
    return (await once(child, 'exit'))[0]
  }
  assert.deepEqual(await Promise.all([codeOf('--help'), codeOf('relase')]), [0, 2])
})

test('colours can be asked for where there is no terminal, and refused where there is', async (t) => {
  const [wanted, refused] = await Promise.all([commandLine(t, { FORCE_COLOR: '1' }), commandLine(t, { NO_COLOR: '1' })])
  assert.ok(
    (await wanted.run('blocklist', 'check', 'a.example')).stdout.startsWith('\x1b[32ma.example is not blocked.'),
  )
  assert.ok((await refused.run('blocklist', 'check', 'a.example')).stdout.startsWith('a.example is not blocked.'))
})

test('a folder that may not be read or written is a sentence', async (t) => {
  const { folder, contentDir, env } = await commandLine(t)
  await mkdir(join(contentDir, 'app'))
  await chmod(folder, 0o755)
  await chmod(contentDir, 0o555)
  await chmod(join(contentDir, 'app'), 0o555)
  // Nothing is forbidden to root.
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const { NODE_COMPILE_CACHE: _, ...bare } = env
  const run = (...words: string[]) =>
    spawnSync(process.execPath, [PROGRAM, ...words], { cwd: folder, env: bare, encoding: 'utf8', ...user })
  if (run('--version').status !== 0) return t.skip('another user may not read the program here')
  const { status, stderr } = run('news', 'add', '--title', 'Hello', '--text', 'World')
  assert.equal(status, 1)
  assert.match(stderr, /^menagerie: .*permission denied.*\.\n$/)
  const made = run('init', 'mine')
  if (user.uid) assert.match(made.stderr, /^menagerie: .*mine cannot be used: it may not be read or written\.\n$/)
})
