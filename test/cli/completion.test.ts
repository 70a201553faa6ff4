import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { commands } from '../../src/cli/commands/index.ts'
import { findCandidates, shells } from '../../src/cli/completion.ts'
import { type CommandLine, commandLine } from '../kit/command-line.ts'
import { writeSettledFiles } from '../kit/content.ts'
import { PROGRAM } from '../kit/root.ts'
import { forSuite } from '../kit/scope.ts'

const valuesAt = (...words: string[]) => {
  const { candidates } = findCandidates(commands, words)
  if (typeof candidates === 'string') return candidates
  return candidates.map(({ value }) => value).filter((value) => value.startsWith(words.at(-1)!))
}

describe('the candidates for', () => {
  const cases: [words: string[], candidates: string[] | string][] = [
    [['rel'], ['release']],
    [['release', 'w'], ['withdraw']],
    [['nothing', ''], []],
    [
      ['release', 'withdraw', ''],
      ['launcher', 'reshade', 'fpsUnlocker'],
    ],
    [['release', 'withdraw', 'launcher', ''], 'releases'],
    [['resources', 'restore', ''], 'resources'],
    [
      ['content', 'sheet', 'cat', 'f'],
      ['fox', 'fish'],
    ],
    [['content', 'add', ''], 'kinds'],
    [['content', 'add', 'cat', 'a.png', ''], 'files'],
    [['content', 'sheet', '--out', ''], 'folders'],
    [['clients', 'list', '--state', 'g'], ['granted']],
    [
      ['clients', 'list', '--state=r'],
      ['--state=refused', '--state=revoked'],
    ],
    [
      ['clients', 'list', '--st'],
      ['--state', '--store-url'],
    ],
    [['clients', 'list', '--state', 'pending', '--st'], ['--store-url']],
    [['tier', 'set', '2', '--benefit', 'x', '--be'], ['--benefit']],
    [
      ['token', 'create', 'label', '--scope', ''],
      ['read', 'write', 'publish'],
    ],
    [['serve', '--log-level', 'w'], ['warn']],
    [['serve', '--content-dir', ''], 'folders'],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['ban', 'lift', ''], 'bans'],
    [['token', 'create', ''], []],
  ]
  for (const [words, candidates] of cases) {
    test(`"menagerie ${words.join(' ')}"`, () => assert.deepEqual(valuesAt(...words), candidates))
  }

  test('all commands and all of their options', () => {
    const first = new Set(commands.map(({ name }) => name.split(' ')[0]))
    assert.deepEqual(valuesAt(''), [...first, '--help', '--version'])
    for (const { name, options = {} } of commands) {
      const offered = valuesAt(...name.split(' '), '--')
      for (const option of ['help', 'json', ...Object.keys(options)])
        assert.ok(offered.includes(`--${option}`), `${name} ${option}`)
      const [family = '', second] = name.split(' ')
      if (second) assert.ok(valuesAt(family, '').includes(second), name)
    }
  })
})

/** The candidates that a real shell shows. The last word is being completed. */
const completeIn: Record<string, (cli: CommandLine, script: string, words: readonly string[]) => string[]> = {
  bash: (cli, script, words) => {
    const array = ['menagerie', ...words].map((word) => `'${word}'`).join(' ')
    const call = `source ${script}; COMP_WORDS=(${array}); COMP_CWORD=${words.length}; _menagerie; printf '%s\\n' "\${COMPREPLY[@]}"`
    return inShell('bash', ['--norc', '-c', `menagerie() { '${process.execPath}' '${PROGRAM}' "$@"; }; ${call}`], cli)
  },
  fish: (cli, script, words) => {
    const typed = ['menagerie', ...words].join(' ')
    const call = `function menagerie; '${process.execPath}' '${PROGRAM}' $argv; end; source ${script}; complete -C '${typed}'`
    return inShell('fish', ['--no-config', '-c', call], cli).map((text) => text.split('\t')[0] ?? '')
  },
}

function inShell(shell: string, args: string[], { folder, env }: CommandLine): string[] {
  const { stdout, stderr, status } = spawnSync(shell, args, {
    cwd: folder,
    env: { ...env, HOME: folder },
    encoding: 'utf8',
  })
  assert.equal(status, 0, stderr)
  return stdout.split('\n').filter((text) => text !== '')
}

const has = (shell: string) => spawnSync(shell, ['-c', 'true']).status === 0

for (const [shell, complete] of Object.entries(completeIn)) {
  describe(`in a real ${shell}`, { skip: has(shell) ? false : `no "${shell}" on the PATH` }, () => {
    const suite = forSuite(async (scope) => {
      const cli = await commandLine(scope)
      const script = join(cli.folder, 'completion')
      await writeFile(script, (await cli.run('completion', shell)).stdout)
      return { cli, offered: (...words: string[]) => complete(cli, script, words) }
    })

    test('commands, options, choices and paths are completed', async () => {
      const { cli, offered } = suite()
      await writeSettledFiles(cli.folder, { 'my notes.md': 'x', 'my folder/x': 'x' })
      assert.deepEqual(offered('rele'), ['release'])
      assert.deepEqual(offered('release', 'publish', 'res'), ['reshade'])
      assert.deepEqual(offered('release', 'publish', '--not'), ['--notes'])
      assert.deepEqual(
        offered('news', 'add', 'my')
          .map((path) => path.replace(/\/$/, ''))
          .sort(),
        ['my folder', 'my notes.md'],
      )
      assert.deepEqual(
        offered('init', 'my').map((path) => path.replace(/\/$/, '')),
        ['my folder'],
      )
      assert.deepEqual(offered('make', ''), [])
    })

    test('names from the content and the store are completed, and no database is created', async () => {
      const { cli, offered } = suite()
      assert.deepEqual(offered('ban', 'lift', ''), [])
      assert.ok(!(await readdir(cli.folder)).includes('data'))
      await writeFile(join(cli.folder, 'a.exe'), 'hello')
      await cli.json('release', 'publish', 'launcher', '1.2.3', '--file', join(cli.folder, 'a.exe'))
      const { id } = await cli.json('news', 'add', '--title', 'Hello: a "title"\tof mine', '--text', 'x')
      await cli.json('ban', 'add', '192.0.2.7')
      assert.deepEqual(offered('release', 'rollout', 'launcher', ''), ['1.2.3'])
      assert.deepEqual(offered('news', 'remove', ''), [id])
      assert.deepEqual(offered('ban', 'lift', '1'), ['192.0.2.7'])
    })
  })
}

for (const [shell, flag] of Object.entries({ bash: '-n', zsh: '-n', fish: '--no-execute' })) {
  test(`${shell} can parse its script`, { skip: has(shell) ? false : `no "${shell}" on the PATH` }, async (t) => {
    const { folder, run } = await commandLine(t)
    const script = join(folder, 'completion')
    await writeFile(script, (await run('completion', shell)).stdout)
    const { status, stderr } = spawnSync(shell, [flag, script], { encoding: 'utf8' })
    assert.deepEqual([status, stderr], [0, ''])
  })
}

test('bash gets only the part after the last = or :, because it splits words there', async (t) => {
  const { run, json } = await commandLine(t)
  await json('ban', 'add', '2001:db8:1:2::7')
  const offered = async (...words: string[]) => (await run('__complete', 'bash', ...words)).stdout
  assert.equal(await offered('clients', 'list', '--state', '=', 'p'), 'pending\n')
  assert.equal(await offered('clients', 'list', '--state', '='), 'pending\ngranted\nrefused\nrevoked\n')
  assert.equal(await offered('ban', 'lift', '2001', ':', 'db8', ':'), '1:2::/64\n')
  assert.equal(await offered('ban', 'lift', '2001', ':', 'db'), 'db8:1:2::/64\n')
})

test('zsh gets the description after the first unescaped colon', async (t) => {
  const { run, json } = await commandLine(t)
  await json('ban', 'add', '2001:db8:1:2::7', '--reason', 'scrapes: all')
  assert.equal((await run('__complete', 'zsh', 'ban', 'lift', '')).stdout, '2001\\:db8\\:1\\:2\\:\\:/64:scrapes: all\n')
})

test('an invalid setting, an unknown shell or a missing folder causes no message', async (t) => {
  const { run } = await commandLine(t, { PORT: 'http', CONTENT_DIR: '/nowhere/at/all' })
  for (const words of [['bash', 'news', 'remove', ''], ['tcsh', ''], []]) {
    assert.deepEqual(await run('__complete', ...words), { code: 0, stdout: '', stderr: '' })
  }
  assert.equal((await run('__complete', 'bash', 'doc')).stdout, 'doctor\n')
})

test('the choices of "completion" are the supported shells', () => {
  const [argument] = commands.find(({ name }) => name === 'completion')?.arguments ?? []
  assert.deepEqual(argument?.choices, Object.keys(shells))
})
