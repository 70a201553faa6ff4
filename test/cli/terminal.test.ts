// Output on terminals, pipes and files.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { showsColours, startProgress } from '../../src/cli/terminal.ts'
import { createFormat, formatRelative, localUrl, measureWidth, printable } from '../../src/cli/text.ts'
import { commandLine } from '../kit/command-line.ts'
import { tinyPng } from '../kit/pictures.ts'
import { PROGRAM } from '../kit/root.ts'
import { forSuite } from '../kit/scope.ts'

function startTestProgress(clock: { now: number }, isTTY: boolean) {
  const written: string[] = []
  const stream = { isTTY, columns: 60, write: (text: string) => written.push(text) }
  const formatAmount = (amount: number) => `${amount} B`
  return { written, progress: startProgress(stream, 'Reading', formatAmount, () => clock.now) }
}

test('on a terminal, progress is a bar that is redrawn in place and cleared at the end', () => {
  const clock = { now: 0 }
  const { written, progress } = startTestProgress(clock, true)
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

test('without a terminal, progress is one line per second, and none in the first second', () => {
  const clock = { now: 0 }
  const { written, progress } = startTestProgress(clock, false)
  for (clock.now = 0; clock.now < 2500; clock.now += 10) progress.show(clock.now, 5000)
  progress[Symbol.dispose]()
  assert.deepEqual(written, ['Reading: 1000 B of 5000 B\n', 'Reading: 2000 B of 5000 B\n'])
})

test('control characters in names are escaped', () => {
  assert.equal(printable('a\x1b[2Jb\nc\u202ed'), 'a\\u{1b}[2Jb\\u{a}c\\u{202e}d')
  assert.equal(formatFor(undefined).table([{ name: '\x1b]0;\x07', x: 'y' }], ''), '\\u{1b}]0;\\u{7}\ty')
})

const NOW = Date.parse('2026-12-01T10:00:00Z')

function formatFor(width: number | undefined) {
  const notes: string[] = []
  return { notes, ...createFormat({ width, now: NOW, note: (text) => notes.push(text) }) }
}

const drawTable = (width: number, rows: Parameters<ReturnType<typeof createFormat>['table']>[0]) =>
  stripVTControlCharacters(formatFor(width).table(rows, '', { public: 'green' }))

test('on a terminal, a table has headings, aligned columns, and numbers on the right', () => {
  const rows = [
    { name: '日本', none: '', state: 'public', count: 5 },
    { name: '👩‍🚀e\u0301', none: '', state: 'constructor', count: 12 },
  ]
  assert.equal(
    drawTable(80, rows),
    'NAME  STATE        COUNT\n日本  public           5\n👩‍🚀e\u0301   constructor     12',
  )
  assert.ok(formatFor(80).table(rows, '', { public: 'green' }).includes('\x1b[32mpublic'))
  // More than a call can have arguments.
  const manyRows = Array.from({ length: 130_000 }, () => ({ address: '::1', reason: 'x' }))
  assert.ok(drawTable(80, manyRows).startsWith('ADDRESS  REASON\n::1      x\n'))
})

test('on a terminal, the widest columns are shortened until the table fits, but not the id', () => {
  const rows = [{ id: '0b0f4b5e-6d0c', by: 'Ann', reason: '猫の写真がとても好きなので' }]
  assert.equal(drawTable(31, rows), 'ID             BY   REASON\n0b0f4b5e-6d0c  Ann  猫の写真が…')
  assert.equal(measureWidth('猫の写真が…'), 11)
  // Headings stay readable in a terminal that is too narrow.
  assert.equal(drawTable(10, rows), 'ID             BY  REASON\n0b0f4b5e-6d0c  A…  猫の…')
})

test('in a pipe, tables have tabs, no headings and ISO times; a note says that a table is empty', () => {
  const { table, fields, time, exactTime, notes } = formatFor(undefined)
  const at = '2026-12-01T07:00:00.000Z'
  assert.equal(table([{ id: 1, made: time(at), by: 'x'.repeat(200) }], ''), `1\t${at}\t${'x'.repeat(200)}`)
  assert.equal(fields({ id: 1, made: exactTime(at), none: undefined }), `id\t1\nmade\t${at}`)
  assert.equal(table([], 'There are no bans.'), '')
  assert.deepEqual(notes, ['There are no bans.'])
})

test('on a terminal, times are relative', () => {
  const { fields, exactTime, table } = formatFor(80)
  const shown = fields({ id: 1, made: exactTime('2026-12-01T07:00:00Z') })
  assert.equal(stripVTControlCharacters(shown), 'id    1\nmade  2026-12-01 07:00 UTC, 3 hours ago')
  assert.equal(table([], 'There are no bans.'), 'There are no bans.')
  const times: Record<string, string> = {
    '2026-12-01T10:00:59Z': 'now',
    '2026-12-07T09:59:59Z': 'in 6 days',
    '2026-12-01T09:59:00Z': '1 minute ago',
    '2026-12-03T11:00:00Z': 'in 2 days',
    '2026-09-01T10:00:00Z': '3 months ago',
    '2029-01-01T00:00:00Z': 'in 2 years',
  }
  for (const [at, text] of Object.entries(times)) assert.equal(formatRelative(at, NOW), text)
})

test('colours are for terminals, unless NO_COLOR or TERM=dumb disables them or FORCE_COLOR decides', () => {
  const terminal = { isTTY: true, write() {} }
  const decide = (environment: Record<string, string>, stream = terminal) => showsColours(stream, environment)
  assert.deepEqual(
    [decide({}), decide({ NO_COLOR: '' }), decide({}, { ...terminal, isTTY: false }), decide({ NO_COLOR: '1' })],
    [true, true, false, false],
  )
  assert.deepEqual([decide({ TERM: 'dumb' }), decide({ FORCE_COLOR: '0' })], [false, false])
  assert.equal(decide({ FORCE_COLOR: '1', NO_COLOR: '1' }, { ...terminal, isTTY: false }), true)
})

test('the local URL of a service that listens on all addresses is a loopback address', () => {
  const hosts = ['0.0.0.0', '::', '192.0.2.1', 'constructor']
  assert.deepEqual(
    hosts.map((host) => localUrl(host, 80)),
    ['http://127.0.0.1:80', 'http://[::1]:80', 'http://192.0.2.1:80', 'http://constructor:80'],
  )
})

/** Sets the title of a terminal, clears its screen in two ways, and changes the writing direction. */
const ESCAPES = '\x1b]0;x\x07\x1b[2J\x9b2J\u202e'
const CONTROL_CHARACTERS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]/

test('control characters in arguments, file names and content do not reach the terminal', async (t) => {
  const { contentDir, run } = await commandLine(t)
  const news = join(contentDir, 'app', 'news')
  await mkdir(news, { recursive: true })
  await writeFile(join(news, `bad${ESCAPES}.md`), 'no front matter')
  const frontMatter = { title: `T${ESCAPES}`, date: '2026-01-01' }
  await writeFile(join(news, 'good.md'), `---\n${JSON.stringify(frontMatter)}\n---\nhello\n`)
  const calls = [
    ['news', 'list'],
    ['news', 'list', '--json'],
    ['news', 'remove', ESCAPES],
    ['news', 'remove', ESCAPES, '--json'],
    ['news', 'add', `/no/file${ESCAPES}`],
    ['content', 'add', ESCAPES, 'a.png'],
    ['content', 'check', '--content-dir', ESCAPES],
    ['init', join(contentDir, `new${ESCAPES}`)],
    // This one fails: the folder exists.
    ['init', join(contentDir, `new${ESCAPES}`)],
    [ESCAPES],
  ]
  for (const words of calls) {
    const { stdout, stderr } = await run(...words)
    assert.doesNotMatch(stdout + stderr, CONTROL_CHARACTERS, words.join(' '))
    assert.notEqual(stdout + stderr, '', words.join(' '))
  }
  const { stdout } = await run('news', 'list', '--json')
  const { news: items, problems } = JSON.parse(stdout)
  assert.deepEqual([items[0].title, problems[0].file], [frontMatter.title, `app/news/bad${ESCAPES}.md`])
})

const FULL_DISK = '/dev/full'

test('output that cannot be written is reported, and the exit code is 1', {
  skip: !existsSync(FULL_DISK) && `no ${FULL_DISK}`,
}, async (t) => {
  const { folder, env } = await commandLine(t)
  const call = `"${process.execPath}" "${PROGRAM}" --help > ${FULL_DISK}`
  const { status, stderr } = spawnSync('sh', ['-c', call], { cwd: folder, env, encoding: 'utf8' })
  assert.equal(status, 1)
  assert.equal(stderr, 'menagerie: The output cannot be written (ENOSPC).\n')
})

/** `script` of util-linux runs a command on a pseudo-terminal. */
const needsScript = { skip: spawnSync('script', ['--version']).status === 0 ? false : 'no "script" of util-linux' }

describe('on a real terminal', needsScript, () => {
  const cli = forSuite(commandLine)
  const runOnTerminal = (words: string, answer = '', more: Record<string, string> = {}) =>
    new Promise<string>((resolve) => {
      const call = `"${process.execPath}" "${PROGRAM}" ${words}`
      const { folder, env } = cli()
      const child = spawn('script', ['-qec', call, '/dev/null'], {
        cwd: folder,
        env: { ...env, TERM: 'xterm', ...more },
      })
      let output = ''
      let answered = 0
      child.stdout.on('data', (text) => {
        output += text
        // A question may arrive in parts. Input that arrives before the next question would be lost.
        const questions = output.split('Enter to skip').length - 1
        if (answer && questions > answered) child.stdin.write(`${answer}\n`)
        answered = questions
      })
      child.on('close', () => resolve(output))
    })

  test('errors are coloured, unless NO_COLOR or --no-color is set', async () => {
    assert.ok((await runOnTerminal('release list nothing')).includes('\x1b[31mmenagerie:\x1b[39m'))
    assert.ok((await runOnTerminal('release list nothing', '', { NO_COLOR: '1' })).startsWith('menagerie:'))
    assert.ok((await runOnTerminal('--no-color release list nothing')).startsWith('menagerie:'))
  })

  test('"content add" asks for the credits', async () => {
    await writeFile(cli().file('a.png'), tinyPng(1))
    const output = await runOnTerminal('content add cat a.png', 'https://ann.example')
    assert.match(output, /Author of the pictures\. \(author, Enter to skip\)/)
    assert.match(output, /Added 1 picture/)
  })
})

test('on a terminal, the service prints a sign-in link, unless SIGN_IN_LINK is "never"', needsScript, async (t) => {
  const { folder, env } = await commandLine(t)
  const start = async (settings: Record<string, string>) => {
    const child = spawn('script', ['-qec', `"${process.execPath}" "${PROGRAM}" serve`, '/dev/null'], {
      cwd: folder,
      env: { ...env, ...settings, PORT: '0', TERM: 'xterm' },
    })
    let output = ''
    let isStopping = false
    child.stdout.on('data', (text) => {
      output += text
      if (isStopping || !output.includes('Press Ctrl-C to stop.')) return
      isStopping = true
      // Ctrl-C
      child.stdin.write('\x03')
    })
    await once(child, 'close')
    return output
  }
  assert.match(await start({}), /http:\/\/127\.0\.0\.1:\d+\/operator#sign-in=mngl_[\w-]{43}\r\n/)
  assert.doesNotMatch(await start({ SIGN_IN_LINK: 'never' }), /sign-in/)
})

test('a pipe that is closed early causes no error message', async (t) => {
  const { folder, env } = await commandLine(t)
  const { stdout, stderr } = spawnSync('sh', ['-c', `"${process.execPath}" "${PROGRAM}" --help | head -1`], {
    cwd: folder,
    env,
  })
  assert.match(String(stdout), /^Menagerie/)
  assert.equal(String(stderr), '')
})

test('closed output pipes do not change the exit code', async (t) => {
  const { folder, env } = await commandLine(t)
  const readCode = async (...words: string[]) => {
    const child = spawn(process.execPath, [PROGRAM, ...words], { cwd: folder, env })
    child.stdout.destroy()
    child.stderr.destroy()
    return (await once(child, 'exit'))[0]
  }
  assert.deepEqual(await Promise.all([readCode('--help'), readCode('relase')]), [0, 2])
})

test('FORCE_COLOR enables colours without a terminal', async (t) => {
  const [plain, forced] = await Promise.all([commandLine(t), commandLine(t, { FORCE_COLOR: '1' })])
  const check = ['blocklist', 'check', 'a.example']
  assert.ok((await plain.program.run(...check)).stdout.startsWith('a.example is not blocked.'))
  assert.ok((await forced.program.run(...check)).stdout.startsWith('\x1b[32ma.example is not blocked.'))
})

test('a folder that is not writable is reported', async (t) => {
  const { folder, contentDir, env } = await commandLine(t)
  await mkdir(join(contentDir, 'app'))
  await chmod(folder, 0o755)
  await chmod(contentDir, 0o555)
  await chmod(join(contentDir, 'app'), 0o555)
  // Permissions do not apply to root.
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  // The compile cache belongs to this user.
  const { NODE_COMPILE_CACHE: _, ...withoutCache } = env
  const run = (...words: string[]) =>
    spawnSync(process.execPath, [PROGRAM, ...words], { cwd: folder, env: withoutCache, encoding: 'utf8', ...user })
  if (run('--version').status !== 0) return t.skip('another user cannot read the program here')
  const { status, stderr } = run('news', 'add', '--title', 'Hello', '--text', 'World')
  assert.equal(status, 1)
  assert.match(stderr, /^menagerie: .*permission denied.*\.\n$/)
  const init = run('init', 'mine')
  if (user.uid) assert.match(init.stderr, /^menagerie: .*mine cannot be used: permission denied\.\n$/)
})
