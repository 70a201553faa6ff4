import assert from 'node:assert/strict'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { type CommandLine, commandLine } from '../kit/command-line.ts'
import { SIGNATURE } from '../kit/releases.ts'
import { forSuite, type Scope } from '../kit/scope.ts'
import { startSource } from '../kit/source.ts'

const SHA256_OF_HELLO = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824'

const prepare = async (t: Scope) => {
  const cli = await commandLine(t)
  for (const [name, text] of Object.entries({
    'setup.exe': 'hello',
    'notes.md': '# New\n',
    'notes.de.md': '# Neu\n',
    'setup.sig': `${SIGNATURE}\n`,
    'empty.exe': '',
  })) {
    await writeFile(join(cli.folder, name), text)
  }
  await writeFile(join(cli.folder, 'latin.md'), Buffer.from('Müll', 'latin1'))
  return cli
}

/** "@" precedes the name of a file in the folder. */
async function assertRefused({ run, file }: CommandLine, exitCode: number, rows: [words: string, message: RegExp][]) {
  for (const [words, message] of rows) {
    const { code, stderr } = await run(
      ...words.split(' ').map((word) => (word[0] === '@' ? file(word.slice(1)) : word)),
    )
    assert.match(stderr.trimEnd().replace('menagerie: ', ''), message, words)
    assert.equal(code, exitCode, stderr)
  }
}

describe('releases', () => {
  const cli = forSuite(prepare)

  test('a file is published with its size, checksum and options', async () => {
    const { json, contentDir, file } = cli()
    const publish = ['release', 'publish', 'launcher', '1.0.0']
    const dry = await json(...publish, '--file', file('setup.exe'), '--dry-run')
    assert.match(dry.diff, /^\+launcher:\n\+ {2}- version: 1\.0\.0\n/)
    assert.deepEqual(await readdir(contentDir), [])
    const [notes, signature] = [file('notes.md'), file('setup.sig')]
    const extras = `--notes ${notes} --signature ${signature} --rollout 25 --at 2026-01-01`.split(' ')
    const published = await json(...publish, '--file', file('setup.exe'), ...extras)
    assert.deepEqual([published.assets[0].bytes, published.assets[0].sha256], [5, SHA256_OF_HELLO])
    assert.equal(await readFile(join(contentDir, 'app/files/launcher-1.0.0.exe'), 'utf8'), 'hello')
    const [release] = (await json('release', 'list')).releases
    const { assets, ...rest } = release
    const [{ sha512: _, ...asset }] = assets
    assert.deepEqual(rest, {
      ...{
        application: 'launcher',
        version: '1.0.0',
        beta: false,
        state: 'rolling out',
        rollout: 25,
        withdrawn: false,
      },
      ...{ date: '2026-01-01T00:00:00.000Z', notes: '# New\n' },
    })
    const [name, sha256] = ['launcher-1.0.0.exe', SHA256_OF_HELLO]
    const traits = { platform: 'windows', arch: 'any', kind: 'nsis' }
    assert.deepEqual(asset, { ...traits, name, source: { file: name }, bytes: 5, sha256, signature: SIGNATURE })
  })

  test('several files are published at once, with what was guessed, and listed', async () => {
    const { run, file } = cli()
    const names = ['App-1.0.1-x64.exe', 'App-1.0.1.dmg', 'App-1.0.1.AppImage', 'App-1.0.1.AppImage.sig']
    for (const name of names) await writeFile(file(name), name.endsWith('.sig') ? SIGNATURE : name)
    const { stdout } = await run('release', 'publish', 'launcher', '1.0.1', ...names.map(file), '--minimum', '1')
    assert.match(
      stdout,
      /^Published launcher 1\.0\.1:\n {2}windows, x64, nsis: launcher-1\.0\.1-x64\.exe \(17 B, SHA-256 /,
    )
    assert.match(stdout, /\n {2}linux, x64, appimage: .*\nGuessed from the file names: platform, arch, kind\.\n$/)
    const { stdout: list } = await run('release', 'list', 'launcher', '1.0.1.0')
    assert.match(list, /\twindows\tx64\tnsis\t17 B\n.*\tmacos\tany\tdmg\t.*\n.*\tlinux\tx64\tappimage\t/)
    assert.match(
      (await run('release', 'list', 'launcher', '9')).stderr,
      /There is no release launcher 9\. "release list"/,
    )
    const again = () => run('release', 'publish', 'launcher', '1.0.1', file('App-1.0.1.dmg'))
    assert.equal((await again()).stdout, 'Nothing was changed: this is already published.\n')
    await writeFile(file('App-1.0.1.dmg'), 'other bytes')
    assert.match(
      (await again()).stderr,
      /already published for macos, any, dmg; publish with --replace to replace the file\./,
    )
    assert.equal((await run('release', 'withdraw', 'launcher', '1.0.1')).code, 0)
  })

  test('a URL is read once for its size and checksum, or not at all if both are given', async (t) => {
    const { json, fail } = cli()
    const source = await startSource(t, (request, reply) => {
      reply.statusCode = request.url === '/gone' ? 404 : 200
      reply.end('hello')
    })
    const url = source.url('/setup.exe')
    const measured = ['--bytes', '7', '--sha256', 'ab'.repeat(32)]
    const published = await json('release', 'publish', 'launcher', '1.1.0-beta.1', '--url', url)
    assert.deepEqual([published.assets[0].bytes, published.assets[0].sha256], [5, SHA256_OF_HELLO])
    const given = await json('release', 'publish', 'launcher', '1.1.0-beta.2', '--url', url, ...measured)
    assert.deepEqual([given.assets[0].bytes, source.connections().made], [7, 1])
    const gone = await fail('release', 'publish', 'launcher', '1.2.0', '--url', source.url('/gone'))
    assert.equal(gone, 'The URL could not be read: the server replied with status 404.')
  })

  test('notes in several files are translations, the original first', async () => {
    const { json, file } = cli()
    const notesFiles = ['--notes', file('notes.de.md'), '--notes', file('notes.md')]
    await json('release', 'publish', 'fpsUnlocker', '1.0.0', file('setup.exe'), ...notesFiles)
    const [{ notes, notesByLanguage }] = (await json('release', 'list', 'fpsUnlocker')).releases
    assert.deepEqual([notes, notesByLanguage], ['# Neu\n', { de: '# Neu\n', en: '# New\n' }])
  })

  test('a release is rolled out further and withdrawn once', async () => {
    const { run, json, fail } = cli()
    const { stdout } = await run('release', 'rollout', 'launcher', '1.0.0', '50')
    assert.equal(stdout, 'launcher 1.0.0 is now offered to 50 % of installations.\n')
    assert.match((await json('release', 'withdraw', 'launcher', '1.0.0', '--dry-run')).diff, /^\+ +withdrawn: true$/m)
    await json('release', 'withdraw', 'launcher', '1.0.0')
    assert.equal(await fail('release', 'withdraw', 'launcher', '1.0.0'), 'launcher 1.0.0 is already withdrawn.')
    assert.match(
      (await run('release', 'list', 'launcher')).stdout,
      /^launcher\t1\.0\.0\tstable\twithdrawn\t2\S+Z\t50 %\t/m,
    )
    assert.equal((await run('release', 'restore', 'launcher', '1.0.0')).stdout, 'Restored launcher 1.0.0.\n')
    const { stdout: ramped } = await run('release', 'ramp', 'launcher', '1.0.0', '60,100', '--every', '7d')
    assert.equal(ramped, 'launcher 1.0.0 is offered to 60 %, 100 % of installations, one step every 7d.\n')
    assert.match(
      (await run('release', 'list')).stdout,
      /^launcher\t1\.0\.0\tstable\trolling out\t2\S+Z\t60 %, 100 % 2/m,
    )
    const ramp = ['--ramp', '10,100', '--every', '12h', '--max-failures', '5', '--dry-run']
    const planned = await json('release', 'publish', 'launcher', '1.9.0', cli().file('setup.exe'), ...ramp)
    const { stdout: published } = await run(
      ...['release', 'publish', 'reshade', '0.0.1', cli().file('setup.exe'), '--ramp', '10,50,100'],
    )
    await json('history', 'undo', String((await json('history', 'list')).history[0].id))
    assert.match(published, /^Published reshade 0\.0\.1, for 10 %, 50 %, 100 % of installations, one step every 24h:/)
    assert.match(planned.diff, /^\+ +ramp:\n\+ +steps:\n\+ +- 10\n\+ +- 100\n\+ +every: 12h\n\+ +maxFailures: 5$/m)
    await json('release', 'withdraw', 'launcher', '1.0.0')
    const { stdout: restored } = await run('release', 'restore', 'launcher', '1.0.0')
    assert.equal(
      restored,
      'Restored launcher 1.0.0. Its ramp is paused; "npm run menagerie -- release resume launcher 1.0.0" continues it.\n',
    )
    await json('release', 'withdraw', 'launcher', '1.0.0')
    assert.equal((await run('release', 'list', 'reshade')).stderr, 'There are no releases.\n')
  })

  test('usage errors have exit code 2', () =>
    assertRefused(cli(), 2, [
      [
        'release publish launcher 2.0.0 a.exe --every= --max-failures 5',
        /^--every and --max-failures must be used with/,
      ],
      ['release publish launcher 2.0.0', /^Name at least one file, or use --url\./],
      ['release publish launcher 2.0.0 a.exe b.sig', /^b\.sig must be used together with the file that it signs\./],
      ['release publish launcher 2.0.0 a.exe b.dmg --signature a.sig', /^--signature is for a single file\./],
      [`release publish launcher 2 a.exe b.dmg --sha256 ${'ab'.repeat(32)}`, /^--sha256 must be given once for each/],
      [
        'release publish launcher 2 a.exe --platform w',
        /^--platform must be one of windows, macos, linux, any, not "w"/,
      ],
      ['release publish launcher 2.0.0 a.exe --kind floppy', /^The kind must be one of nsis, msi/],
      ['release publish launcher 2.0.0 a.exe --minimum 3', /^The minimum must not be above the version 2\.0\.0\./],
      ['release publish launcher 2.0.0 --url ftp://example.org/a', /^The URL must be an absolute http or https URL/],
      ['release publish launcher 2.0.0.0.0 @setup.exe', /^The version must be one to four numbers/],
      [
        'release publish launcher 2.0.0 @setup.exe --rollout 25%',
        /^The rollout must be a whole number from 0 to 100\./,
      ],
      ['release publish launcher 2.0.0 @setup.exe --rollout=', /^The rollout must be a whole number/],
      ['release publish launcher 2.0.0 @setup.exe --at tomorrow', /^The time must be a date that exists/],
      ['release publish launcher 2 @setup.exe --at 2026-12-01T10:00', /^The time must end with a time zone: Z, or an/],
      ['release publish launcher 2 @setup.exe --bytes 5', /^--bytes must be used with --sha256 and a single --url\./],
      ['release publish launcher 2 --url https://x.example/a --bytes 5 --sha256 xyz', /^--sha256 must be 64 hex/],
      ['release publish launcher 1.9.0 @setup.exe --every 24h', /--every/],
      ['release publish reshade 1 @setup.exe --notes @notes.md --notes @notes.md', /^The notes must be in different/],
      ['release ramp launcher 1.0.0 60,half', /^The steps of a ramp/],
      ['release rollout launcher 1.0.0 half', /^The rollout must be/],
      ['news add --title A --text B --id a/b', /id/],
      ['news add --title A --text B --url here', /URL/],
      ['content add Big @setup.exe', /kind/],
    ]))

  test('a file that cannot be published is refused with the reason', async () => {
    const readReleases = () => readFile(join(cli().contentDir, 'app/releases.yaml'), 'utf8')
    const before = await readReleases()
    const unused = 'cannot be used: no such file or directory\\.$'
    await assertRefused(cli(), 1, [
      ['release publish launcher 2.0.0 @nothing.exe', new RegExp(`nothing\\.exe ${unused}`)],
      ['release publish launcher 2.0.0 @empty.exe', /empty\.exe is empty: it has 0 bytes\.$/],
      [
        'release publish launcher 2 @setup.exe --signature @notes.md',
        /^The signature must be the content of a \.sig file/,
      ],
      ['release publish launcher 2 --url http://127.0.0.1:2/', /^The URL could not be read: connection refused\.$/],
      ['release publish launcher 2.0.0 @setup.exe --notes @nothing.md', new RegExp(`nothing\\.md ${unused}`)],
      ['release publish launcher 2.0.0 @setup.exe --notes @latin.md', /latin\.md is not UTF-8 text\.$/],
      [
        'release publish launcher 1.1.0-alpha @setup.exe',
        /is older than launcher .* publish with --force to allow it\.$/,
      ],
      ['release publish launcher 1.0.0 @setup.exe', /^launcher 1\.0\.0 is withdrawn\.$/],
      ['release rollout launcher 9.9.9 5', /^There is no release launcher 9\.9\.9/],
    ])
    assert.equal(await readReleases(), before)
  })
})

describe('resources, news and tiers', () => {
  const cli = forSuite(prepare)

  test('resources are published once', async () => {
    const { json, run, file, fail } = cli()
    const published = await json('resources', 'publish', '3.0.0', '--file', file('setup.exe'))
    assert.deepEqual([published.version, published.sha256], ['3.0.0', SHA256_OF_HELLO])
    const later = await run('resources', 'publish', '3.1.0', '--file', file('setup.exe'), '--at', '2199-01-01')
    assert.match(later.stdout, /^Published resources 3\.1\.0 .*, public from 2199-01-01 00:00 UTC\.\n$/)
    assert.equal((await json('resources', 'publish', '3.0.0', '--file', file('setup.exe'))).diff, '')
    await writeFile(file('other.exe'), 'other bytes')
    const again = await fail('resources', 'publish', '3.0.0', '--file', file('other.exe'))
    assert.equal(again, 'resources 3.0.0 is already published.')
    await json('resources', 'withdraw', '3.1.0')
    assert.match((await run('resources', 'list')).stdout, /^3\.1\.0\twithdrawn\t2199.*\n3\.0\.0\tpublic\t/m)
    assert.equal(await fail('resources', 'withdraw', '3.1.0'), 'resources 3.1.0 is already withdrawn.')
    assert.equal((await run('resources', 'restore', '3.1.0')).stdout, 'Restored resources 3.1.0.\n')
    await assertRefused(cli(), 1, [
      ['resources restore 3.1.0', /^resources 3\.1\.0 is not withdrawn\.$/],
      ['resources restore 9.0.0', /^There are no resources 9\.0\.0\.$/],
    ])
  })

  test('news are added from --text or a file, listed and removed', async () => {
    const { file, json, run } = cli()
    await writeFile(file('hello.md'), '---\ntitle: Hello\ndate: 2199-01-01\n---\nText.\n')
    await writeFile(file('broken.md'), '---\ntitle: Hello\ndate: 2026-12-01T10:00\n---\nText.\n')
    await writeFile(file('undated.md'), '---\ntitle: Undated\nsummary: Short.\n---\nText.\n')
    assert.equal((await json('news', 'add', '--title', 'A', '--text', 'B', '--at', '2026-01-02')).id, '2026-01-02-a')
    assert.equal((await json('news', 'add', file('notes.md'), '--title', 'C', '--id', 'c')).id, 'c')
    assert.match((await run('news', 'add', file('hello.md'))).stdout, /^Added the news "hello", public from 2199-01-01/)
    assert.deepEqual(
      (await json('news', 'list')).news.map(({ file }: { file: string }) => file),
      ['app/news/hello.md', 'app/news/c.md', 'app/news/2026-01-02-a.md'],
    )
    assert.match((await run('news', 'list')).stdout, /^hello\t2199-01-01T00:00:00\.000Z\tscheduled\ten\tHello$/m)
    const undated = await json('news', 'add', file('undated.md'), '--at', '2026-01-03', '--dry-run')
    assert.match(undated.diff, /title: Undated\n.*date: .*2026-01-03/)
    assert.ok(
      (await json('news', 'add', file('undated.md'), '--dry-run')).diff.includes(`${new Date().getUTCFullYear()}-`),
    )
    const headed = await json('news', 'add', file('notes.md'), '--dry-run')
    assert.match(headed.diff, /title: New$/m)
    assert.doesNotMatch(headed.diff, /# New/)
    const edited = await json('news', 'edit', 'c', file('hello.md'), '--dry-run')
    assert.match(edited.diff, /^\+date: 2199-01-01/m)
    assert.match((await json('news', 'edit', 'c', '--text', '', '--dry-run')).diff, /^-/m)
    await json('news', 'remove', 'c')
    await assertRefused(cli(), 1, [
      ['news remove c', /^There is no news with the id "c"\.$/],
      ['news add @hello.md', /^news\/hello\.md already has the id "hello"\.$/],
      ['news add @missing.md', /missing\.md cannot be used: no such file or directory\.$/],
      ['news add @broken.md', /broken\.md, line 3: "date" must end with a time zone/],
    ])
    await assertRefused(cli(), 2, [
      ['news add @setup.exe', /^A news item needs a title/],
      ['news add', /^Use either a file or --text\.$/m],
    ])
  })

  test('a text in another language becomes a translation of its item', async () => {
    const { contentDir, file, json, run, fail } = cli()
    await writeFile(file('welcome.md'), '---\ntitle: Welcome\ndate: 2026-01-05\n---\nText.\n')
    await writeFile(file('welcome.de.md'), '---\ntitle: Willkommen\n---\nText.\n')
    await writeFile(file('alone.de.md'), '---\ntitle: Allein\n---\nText.\n')
    assert.equal(
      await fail('news', 'add', file('alone.de.md')),
      'There is no news with the id "alone" to translate. Publish it first.',
    )
    await json('news', 'add', file('welcome.md'), '--image', '/media/animals/fox/~b.png')
    await writeFile(file('plain.fr.md'), 'Texte.\n')
    const plain = ['news', 'add', file('plain.fr.md'), '--id', 'welcome', '--title', 'Salut', '--dry-run']
    assert.equal((await json(...plain)).file, 'app/news/welcome.fr.md')
    assert.equal(
      (await run('news', 'add', file('welcome.de.md'))).stdout,
      'Added the translation "de" of the news "welcome".\n',
    )
    await json('news', 'add', '--id', 'welcome', '--lang', 'pt-br', '--title', 'Olá', '--text', 'Texto.')
    assert.match(
      (await run('news', 'list')).stdout,
      /^welcome\t2026-01-05T00:00:00\.000Z\tpublic\ten, de, pt-BR\tWelcome$/m,
    )
    assert.match(
      await fail('news', 'add', file('welcome.md'), '--lang', 'german'),
      /^The language must be a language tag/,
    )
    const edited = await json('news', 'edit', 'welcome', file('welcome.de.md'), '--title', 'Hallo', '--dry-run')
    assert.equal(edited.file, 'app/news/welcome.de.md')
    await json('news', 'remove', 'welcome', '--lang', 'pt-BR')
    await rm(join(contentDir, 'app/news/welcome.md'))
    const check = await run('content', 'check')
    assert.equal(check.code, 1)
    assert.match(check.stdout, /^app\/news\/welcome\.de\.md:1 original: .*there is no valid news\/welcome\.md/m)
    assert.match((await run('doctor')).stdout, /welcome\.de\.md/)
    await rm(join(contentDir, 'app/news/welcome.de.md'))
  })

  test('"tier set" changes only what its options name', async () => {
    const { json, run } = cli()
    await json('tier', 'set', '2', '--resource', 'maps=1.0', '--resource', 'skins=2.0', '--benefit', 'A badge')
    await json('tier', 'set', '2', '--remove', 'skins', '--resource', 'maps=1.1')
    assert.deepEqual((await json('tier', 'show', '2')).tiers, [
      { tier: 2, name: 'favorite', resources: { maps: '1.1' }, benefits: ['A badge'] },
    ])
    assert.equal((await run('tier', 'show')).stdout, 'Tier 2, favorite\n  maps 1.1\n  - A badge\n\nTier 3, trusted\n')
    await assertRefused(cli(), 2, [
      ['tier show 4', /^<tier> must be one of 2, 3, not "4"\.$/m],
      ['tier set 2 --resource maps', /^--resource must be a name and a version/],
      ['tier set 2', /^Use at least one of --resource/],
    ])
    await assertRefused(cli(), 1, [['tier set 2 --remove skins', /^Tier 2 has no resource "skins"\.$/]])
  })
})
