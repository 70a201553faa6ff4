import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { digestOf, startPublisher } from '../../../kit/operator.ts'
import { tinyPng } from '../../../kit/pictures.ts'
import { forSuite } from '../../../kit/scope.ts'
import { until } from '../../../kit/until.ts'

describe('content over HTTP', () => {
  const operator = forSuite((scope) => startPublisher(scope))
  const readContent = (name: string) => readFile(join(operator().contentDir, name), 'utf8').catch(() => null)
  const undo = (id: number) => operator().send('POST', `/history/${id}/undo`)
  // Not checked against the OpenAPI document, which was read before there were new kinds.
  const pick = async (path: string): Promise<any> => (await fetch(`${operator().url}/api/v2/random/${path}`)).json()

  test('lists and videos are published, edited, removed and restored', async () => {
    const { status, headers } = await operator().send('PUT', '/lists/string/fortune', { text: '# Ours\nYou will win' })
    assert.equal(status, 200)
    await until(async () => (await pick('string/fortune')).message === 'You will win')
    const { body } = await operator().send('GET', '/lists/string/fortune')
    assert.deepEqual(body.list, { file: 'string/fortune.txt', text: '# Ours\nYou will win\n' })
    const ifMatch = { 'if-match': headers.get('etag') ?? '' }
    assert.equal((await operator().send('PUT', '/lists/string/fortune', { text: 'Maybe' }, ifMatch)).status, 200)
    assert.equal((await operator().send('PUT', '/lists/string/fortune', { text: 'Never' }, ifMatch)).status, 412)
    const { body: removed } = await operator().send('DELETE', '/lists/string/fortune')
    await until(async () => (await pick('string/fortune')).code === 'UNKNOWN_KIND')
    assert.equal((await undo(removed.history)).status, 200)
    await until(async () => (await pick('string/fortune')).message === 'Maybe')

    const text = Array.from({ length: 30 }, (_, index) => `Answer ${index}`).join('\n')
    assert.equal((await operator().send('PUT', '/lists/string/fortune', { text })).status, 200)
    const shrunk = await operator().send('PUT', '/lists/string/fortune', { text: 'Yes\nNo' })
    assert.deepEqual([shrunk.status, shrunk.body.code], [409, 'CHANGE_REFUSED'])
    assert.match(shrunk.body.message, /would have 2 of 30 entries; publish with force/)
    assert.equal((await operator().send('PUT', '/lists/string/fortune', { text: 'Yes', force: true })).status, 200)

    const videos = [{ id: 'dQw4w9WgXcQ', title: 'A cat: the film' }]
    assert.equal((await operator().send('PUT', '/videos/films', { videos })).status, 200)
    await until(async () => (await pick('yt-video/films')).item?.title === 'A cat: the film')
  })

  test('too many entries are refused before they are validated', async () => {
    const many = Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`a${index}`, '1']))
    const steps = Array.from({ length: 101 }, (_, index) => index)
    for (const [path, body, field] of [
      ['/tiers/2', { resources: many }, 'resources'],
      ['/releases/launcher/1.0.0/notes', { notes: many }, 'notes'],
      ['/releases/launcher/1.0.0', { assets: [], ramp: { steps, every: '1h' } }, 'ramp.steps'],
    ] as const) {
      const refused = await operator().send('PUT', path, body)
      assert.deepEqual([refused.status, refused.body.code, refused.body.field], [400, 'INVALID_BODY', field])
    }
  })

  test('what a dry run checked can be required of the change', async () => {
    const put = (text: string, query: string, headers = {}) =>
      operator().send('PUT', `/lists/kaomoji/mouse${query}`, { text }, headers)
    const first = await put('(1)', '?dryRun=true')
    assert.equal(first.headers.get('etag'), null, 'there is no file yet')
    assert.equal((await put('(1)', '', { 'if-none-match': '*' })).status, 200)
    const checked = await put('(2)', '?dryRun=true')
    assert.equal((await put('(3)', '')).status, 200)
    assert.equal((await put('(2)', '', { 'if-match': checked.headers.get('etag') ?? '' })).status, 412)
  })

  test('the kinds of the content folder are listed with their number of items', async () => {
    await operator().send('PUT', '/lists/string/two', { text: 'One\n# A comment\nTwo' })
    await operator().upload(tinyPng(12))
    const pictures = [{ upload: digestOf(tinyPng(12)), name: 'a.png' }]
    await operator().send('POST', '/pictures/newt', { pictures })
    const { kinds } = (await operator().send('GET', '/kinds')).body
    const own = kinds.filter(({ kind }: { kind: string }) => ['two', 'newt'].includes(kind))
    assert.deepEqual(own, [
      { category: 'animals', kind: 'newt', items: 1 },
      { category: 'string', kind: 'two', items: 2 },
    ])
  })

  test('an upload that was changed after it was complete is not published', async () => {
    const sha256 = digestOf(tinyPng(21))
    await operator().upload(tinyPng(21))
    await writeFile(join(operator().dataDir, 'uploads', sha256), tinyPng(22))
    const publish = () =>
      operator().send('POST', '/pictures/newt?dryRun=true', { pictures: [{ upload: sha256, name: 'a.png' }] })
    const { status, body } = await publish()
    assert.deepEqual([status, body.results[0].reason.slice(0, 25)], [409, 'the upload does not exist'])
    // It can be sent again.
    await operator().upload(tinyPng(21))
    assert.equal((await publish()).status, 200)
  })

  test('an error does not reveal where the content folder is', async () => {
    const { contentDir, send } = operator()
    await mkdir(join(contentDir, 'app'), { recursive: true })
    await writeFile(join(contentDir, 'app/news'), 'a file')
    const { status, body } = await send('PUT', '/news/a', { title: 'A', markdown: 'A' })
    assert.deepEqual([status, body.code], [409, 'CHANGE_REFUSED'])
    assert.equal(body.message, 'Nothing was changed: EEXIST: file already exists, mkdir news.')
  })

  test('Markdown is previewed as safe HTML', async () => {
    const { body } = await operator().send('POST', '/preview', { markdown: '**Hi** <img src=x onerror=alert(1)>' })
    assert.equal(body.html, '<p><strong>Hi</strong> <img src="x" /></p>')
    const dense = await operator().send('POST', '/preview', { markdown: '*a'.repeat(2000) })
    assert.deepEqual([dense.status, dense.body.code], [400, 'INVALID_BODY'])
    assert.match(dense.body.message, /^The Markdown is nested too deeply, a paragraph has more/)
    // Nested lists of a megabyte would take minutes, in which nothing can be published.
    const long = await operator().send('POST', '/preview', { markdown: 'a'.repeat(256 * 1024 + 1) })
    assert.match(long.body.message, /^The Markdown must have at most 262144 bytes/)
  })

  test('lists that the service would refuse are not written', async () => {
    const fields = Array.from({ length: 9 }, (_, index) => `x${index}: 1`).join(', ')
    for (const [path, body, status, message] of [
      ['/lists/yt-video/films', { text: `- {id: dQw4w9WgXcQ, title: A, ${fields}}` }, 409, /unknown field "x0"/],
      ['/lists/string/empty', { text: '# nothing' }, 409, /has no text/],
      ['/lists/string/twice', { text: 'a\na' }, 409, /string\/twice\.txt, line 2: Line 1 has the same text\.$/],
      ['/lists/string/control', { text: 'a\u0007' }, 409, /control characters/],
      ['/lists/string/..%2fx', { text: 'a' }, 400, /not a name of a kind/],
      ['/lists/string/Ä', { text: 'a' }, 400, /not a name of a kind/],
      ['/lists/animals/cat', { text: 'a' }, 404, /no such category\. Use one of: string, kaomoji, yt-video/],
      ['/videos/films', { videos: [{ id: 'short', title: 'x' }] }, 409, /yt-video\/films\.yaml/],
    ] as const) {
      const reply = await operator().send('PUT', path, body)
      assert.match(reply.body.message, message)
      assert.equal(reply.status, status, path)
    }
    assert.equal(await readContent('string/empty.txt'), null)
  })

  test('pictures are added with credits, credited, removed and restored', async () => {
    const names = ['Föx.png', '../../x.png', 'con.png']
    for (const index of names.keys()) await operator().upload(tinyPng(index + 1))
    await operator().upload('no picture')
    const pictures = [
      ...names.map((name, index) => ({ upload: digestOf(tinyPng(index + 1)), name })),
      { upload: digestOf('no picture'), name: 'a.png' },
      { upload: 'ab'.repeat(32), name: 'missing.png' },
    ]
    const body = { pictures, author: 'Ann', license: 'CC0-1.0', tags: ['red'] }
    const dry = await operator().send('POST', '/pictures/capybara?dryRun=true', body)
    assert.deepEqual(
      [dry.status, dry.body.changed, await readContent('animals/capybara/credits.yaml')],
      [200, true, null],
    )
    const { status, body: added } = await operator().send('POST', '/pictures/capybara', body)
    assert.equal(status, 200, added.message)
    assert.deepEqual(
      added.result.results.map(({ outcome }: { outcome: string }) => outcome),
      ['added', 'added', 'added', 'refused', 'refused'],
    )
    await until(async () => (await pick('animal/capybara')).item?.author === 'Ann')
    const { body: again } = await operator().send('POST', '/pictures/capybara', body)
    assert.equal(again.changed, false)
    assert.match(again.result.results[0].reason, /^it already exists as fox-[0-9a-f]{12}\.png$/)
    const refused = await operator().send('POST', '/pictures/capybara', { ...body, pictures: pictures.slice(3) })
    assert.deepEqual([refused.status, refused.body.code, refused.body.results.length], [409, 'CHANGE_REFUSED', 2])
    assert.match(refused.body.message, /^No picture was added\. a\.png: the upload does not exist/)
    assert.equal((await operator().send('GET', '/pictures/nonesuch')).status, 404)
    assert.deepEqual((await operator().send('GET', '/pictures/cat')).body.pictures.pictures, [])

    const { body: listed } = await operator().send('GET', '/pictures/capybara')
    const files = listed.pictures.pictures.map(({ file }: { file: string }) => file)
    assert.equal(files.length, 3)
    const [file] = files
    assert.equal((await operator().send('PUT', '/pictures/capybara/credits', { files, author: 'Bob' })).status, 200)
    await until(async () => (await pick('animal/capybara')).item.author === 'Bob')
    const { body: removed } = await operator().send('POST', '/pictures/capybara/remove', { files: [file] })
    assert.ok(!((await readContent('animals/capybara/credits.yaml')) ?? '').includes(file))
    const folder = join(operator().contentDir, 'animals/capybara')
    assert.ok(!(await readdir(folder)).includes(file))
    assert.equal((await undo(removed.history)).status, 200)
    assert.ok((await readdir(folder)).includes(file))

    const gone = await operator().send('POST', '/pictures/capybara/remove', { files: ['../../app/releases.yaml'] })
    assert.deepEqual([gone.status, gone.body.code], [404, 'UNKNOWN_ENTRY'])
  })

  test('pictures are changed only if their credits have the given ETag', async () => {
    const add = async (index: number, headers: Record<string, string>, credits = {}) => {
      await operator().upload(tinyPng(index))
      const pictures = [{ upload: digestOf(tinyPng(index)), name: 'a.png' }]
      return operator().send('POST', '/pictures/stoat', { pictures, ...credits }, headers)
    }
    const readEtag = async () => {
      const { headers } = await operator().send('GET', '/pictures/stoat')
      return { 'if-match': headers.get('etag') ?? '' }
    }
    const { headers, ...first } = await add(31, { 'if-none-match': '*' }, { author: 'Ann' })
    assert.equal(first.status, 200, first.body.message)
    const known = await readEtag()
    assert.equal(headers.get('etag'), known['if-match'])
    assert.equal((await add(32, { 'if-none-match': '*' })).status, 412)
    // Neither of them changes the credits.
    const plain = await add(32, known)
    assert.equal(plain.status, 200, plain.body.message)
    const files = [plain.body.result.results[0].file]
    const removed = await operator().send('POST', '/pictures/stoat/remove', { files }, known)
    assert.equal(removed.status, 200, removed.body.message)
    assert.equal((await add(33, known, { author: 'Bob' })).status, 200)
    assert.equal((await add(34, known)).status, 412)
    assert.equal((await add(34, await readEtag())).status, 200)
  })

  test('a new kind is undone and added again', async () => {
    await operator().upload(tinyPng(9))
    const body = { pictures: [{ upload: digestOf(tinyPng(9)), name: 'a.png' }], author: 'Ann' }
    const { body: added } = await operator().send('POST', '/pictures/otter', body)
    await until(async () => (await pick('animal/otter')).success)
    const { body: undone } = await undo(added.history)
    await until(async () => !(await pick('animal/otter')).success)
    assert.equal((await undo(undone.history)).status, 200)
    await until(async () => (await pick('animal/otter')).item?.author === 'Ann')
  })

  test('the blocklist is replaced, but not emptied by mistake', async () => {
    const { status } = await operator().send('PUT', '/blocklist', { text: 'a.example\nb.example\nc.example\n' })
    assert.equal(status, 200)
    const emptied = await operator().send('PUT', '/blocklist', { text: '# none\n' })
    assert.deepEqual([emptied.status, emptied.body.code], [409, 'CHANGE_REFUSED'])
    assert.match(emptied.body.message, /0 entries instead of 3; publish with force/)
    assert.equal((await operator().send('PUT', '/blocklist', { text: '<html>', force: true })).status, 409)
    const { body } = await operator().send('PUT', '/blocklist', { text: '# none\n', force: true })
    assert.equal((await operator().send('GET', '/blocklist')).body.blocklist.text, '# none\n')
    assert.equal((await undo(body.history)).status, 200)
    assert.match((await readContent('blocklist.txt')) ?? '', /^a\.example\n/)
  })
})
