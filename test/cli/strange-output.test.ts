// What strangers named or wrote, on the terminal of the operator; and output that has nowhere to go.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { commandLine } from '../kit/command-line.ts'
import { PROGRAM } from '../kit/root.ts'

/** Sets the title of a terminal, wipes its screen (twice, the second time in one letter), and turns the writing direction. */
const ESCAPES = '\x1b]0;x\x07\x1b[2J\x9b2J\u202e'
const UNSEEN = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/

test('no name, argument or content reaches the terminal with its control characters', async (t) => {
  const { contentDir, here } = await commandLine(t)
  const news = join(contentDir, 'app', 'news')
  await mkdir(news, { recursive: true })
  await writeFile(join(news, `bad${ESCAPES}.md`), 'no front matter')
  const head = { title: `T${ESCAPES}`, date: '2026-01-01' }
  await writeFile(join(news, 'good.md'), `---\n${JSON.stringify(head)}\n---\nhello\n`)
  const calls = [
    ['news', 'list'],
    ['news', 'list', '--json'],
    ['news', 'remove', ESCAPES],
    ['news', 'remove', ESCAPES, '--json'],
    ['news', 'add', `/no/file${ESCAPES}`],
    ['content', 'add', ESCAPES, 'a.png'],
    ['content', 'check', '--content-dir', ESCAPES],
    ['init', join(contentDir, `new${ESCAPES}`)],
    ['init', join(contentDir, `new${ESCAPES}`)],
    [ESCAPES],
  ]
  for (const words of calls) {
    const { stdout, stderr } = await here.run(...words)
    assert.doesNotMatch(stdout + stderr, UNSEEN, words.join(' '))
    assert.notEqual(stdout + stderr, '', words.join(' '))
  }
  const { stdout } = await here.run('news', 'list', '--json')
  assert.equal(JSON.parse(stdout).news[0].title, head.title)
})

const FULL = '/dev/full'

test('a result that cannot be written is a sentence and a failure', {
  skip: !existsSync(FULL) && `no ${FULL}`,
}, async (t) => {
  const { folder, env } = await commandLine(t)
  const call = `"${process.execPath}" "${PROGRAM}" --help > ${FULL}`
  const { status, stderr } = spawnSync('sh', ['-c', call], { cwd: folder, env, encoding: 'utf8' })
  assert.equal(status, 1)
  assert.equal(stderr, 'menagerie: What was found or done cannot be written (ENOSPC).\n')
})
