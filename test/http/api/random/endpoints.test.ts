import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import sharp from 'sharp'
import { temporaryFolder } from '../../../kit/folder.ts'
import { forSuite } from '../../../kit/scope.ts'
import { startTestService } from '../../../kit/service.ts'

const ANIMALS = ['cat', 'dog', 'fox', 'fish', 'alpaca', 'bird']
const KAOMOJI = ['cat', 'dog', 'owo', 'uwu', 'love']

const V1 = [
  ...ANIMALS.map((kind) => ['animals', kind] as const),
  ['string', '8ball'] as const,
  ...KAOMOJI.map((kind) => ['kaomoji', kind] as const),
]
const V2 = [
  ...ANIMALS.map((kind) => ['animals', 'animal', kind] as const),
  ['string', 'string', '8ball'] as const,
  ...KAOMOJI.map((kind) => ['kaomoji', 'kaomoji', kind] as const),
  ['yt-video', 'yt-video', 'hl-cats'] as const,
]

describe('random content', () => {
  const service = forSuite(async (scope) => startTestService(scope, { CONTENT_DIR: await temporaryFolder(scope) }))

  for (const [category, kind] of V1) {
    it(`/api/v1/${category}/${kind} replies with flat JSON that must not be cached`, async () => {
      const { status, headers, body } = await service().fetchJson(`/api/v1/${category}/${kind}`)
      assert.equal(status, 200)
      assert.deepEqual(Object.keys(body), ['success', 'status', 'category', 'endpoint', 'message'])
      assert.deepEqual([body.category, body.endpoint], [category, kind])
      assert.ok(body.message.length > 0)
      assert.equal(headers.get('cache-control'), 'no-store')
      assert.equal(headers.get('etag'), null)
      const head = await service().fetchPath(`/api/v1/${category}/${kind}`, { method: 'HEAD' })
      assert.equal(head.status, 200)
      assert.equal(await head.text(), '')
    })
  }

  for (const [category, path, kind] of V2) {
    it(`/api/v2/random/${path}/${kind} replies with info and one or several items`, async () => {
      const url = `/api/v2/random/${path}/${kind}`
      const { body } = await service().fetchJson(url)
      assert.deepEqual(body.info, { category, endpoint: kind })
      assert.equal(typeof body.message, 'string')
      assert.equal(body.item.kind, kind)
      for (const count of [1, 5]) {
        const many = (await service().fetchJson(`${url}?count=${count}`)).body
        assert.equal(new Set(many.message).size, count)
        assert.deepEqual([many.message.length, many.items.length, many.item], [count, count, undefined])
      }
    })
  }

  for (const kind of ANIMALS) {
    it(`the picture of a ${kind} matches item, and an <img> gets the picture`, async () => {
      const { body } = await service().fetchJson(`/api/v2/random/animal/${kind}`)
      assert.ok(body.message.startsWith(`${service().url}/media/animals/${kind}/`), body.message)
      const picture = await service().fetchPath(body.message.slice(service().url.length))
      assert.equal(picture.headers.get('content-type'), body.item.type)
      assert.deepEqual([body.item.kind, body.item.tags[0]], [kind, kind])
      assert.match(picture.headers.get('cache-control') ?? '', /immutable/)
      const { width, height, format } = await sharp(await picture.bytes()).metadata()
      assert.deepEqual([width, height, `image/${format}`], [body.item.width, body.item.height, body.item.type])
      const seeded = (await service().fetchJson(`/api/v2/random/animal/${kind}?seed=x`)).body.item.alt
      assert.match(seeded, /^An? \w.{20,}/)

      const accept = 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8'
      for (const version of [`/api/v1/animals/${kind}`, `/api/v2/random/animal/${kind}`]) {
        const direct = await service().fetchPath(version, { headers: { accept } })
        assert.match(direct.headers.get('content-type') ?? '', /^image\//)
        assert.equal(direct.headers.get('cache-control'), 'no-store')
        assert.equal(direct.headers.get('vary'), 'Accept')
        assert.equal(direct.headers.get('accept-ranges'), null)
        assert.match(direct.headers.get('content-location') ?? '', new RegExp(`^/media/animals/${kind}/`))
        const bytes = await direct.bytes()
        assert.equal(bytes.length, Number(direct.headers.get('content-length')))
        assert.equal((await sharp(bytes).metadata()).width, 512)
        assert.equal((await service().fetchJson(`${version}?format=json`, { headers: { accept } })).body.success, true)
        for (const accept of ['*/*', 'application/json', 'text/html']) {
          const image = await service().fetchPath(`${version}?format=image`, { headers: { accept } })
          assert.match(image.headers.get('content-type') ?? '', /^image\//, accept)
        }
      }
    })
  }

  it('texts are sent as text/plain if Accept prefers it', async () => {
    for (const path of ['/api/v1/kaomoji/uwu', '/api/v2/random/string/8ball', '/api/v2/random/yt-video/hl-cats']) {
      for (const [suffix, headers] of [
        ['?format=text', {}],
        ['', { accept: 'text/plain' }],
      ] as const) {
        const response = await service().fetchPath(path + suffix, { headers })
        assert.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8')
        assert.doesNotMatch(await response.text(), /^\{|\n$/)
      }
    }
    const lines = (await (await service().fetchPath('/api/v2/random/kaomoji/cat?format=text&count=4')).text()).split(
      '\n',
    )
    assert.equal(lines.length, 4)
  })

  it('pictures and videos are sent as their URL with format=text, one per line', async () => {
    for (const path of ['/api/v1/animals/cat', '/api/v2/random/animal/cat', '/api/v2/random/yt-video/hl-cats']) {
      const expected = (await service().fetchJson(`${path}?seed=x`)).body.message
      const reply = await service().fetchPath(`${path}?seed=x&format=text`, { headers: { accept: 'image/*' } })
      assert.equal(reply.headers.get('content-type'), 'text/plain; charset=utf-8')
      assert.equal(await reply.text(), expected)
    }
    const lines = await (await service().fetchPath('/api/v2/random/animal/cat?format=text&count=3')).text()
    assert.match(lines, new RegExp(`^(${service().url}/media/animals/cat/~\\w+\\.webp(\n|$)){3}$`))
  })

  it('format=redirect redirects to the permanent URL, and must not be cached', async () => {
    for (const path of ['/api/v1/animals/cat', '/api/v2/random/animal/any', '/api/v2/random/yt-video/hl-cats']) {
      const expected = (await service().fetchJson(`${path}?seed=x`)).body.message
      for (const method of ['GET', 'HEAD']) {
        const reply = await service().fetchPath(`${path}?seed=x&format=redirect`, { method, redirect: 'manual' })
        assert.deepEqual([reply.status, reply.headers.get('location')], [302, expected])
        assert.equal(reply.headers.get('cache-control'), 'no-store')
      }
    }
    const picture = await service().fetchPath('/api/v2/random/animal/fox?format=redirect', {
      headers: { accept: 'image/png' },
    })
    assert.match(picture.headers.get('location') ?? '', /\.png$/, 'Accept is a preference')
  })

  it('a video has an id, a title and a link', async () => {
    const { body } = await service().fetchJson('/api/v2/random/yt-video/hl-cats')
    assert.equal(body.message, `https://www.youtube.com/watch?v=${body.item.id}`)
    assert.ok(body.item.title.length > 0)
  })

  it('JSON is sent for */*, application/json, text/html, a malformed Accept and no Accept', async () => {
    for (const accept of ['*/*', 'application/json', 'x', 'text/html']) {
      const { body, headers } = await service().fetchJson('/api/v1/animals/cat', { headers: { accept } })
      assert.equal(body.success, true, accept)
      assert.equal(headers.get('vary'), 'Accept', accept)
    }
    // Unlike fetch, node:http sends no Accept.
    const [reply] = (await once(get(`${service().url}/api/v1/animals/cat`), 'response')) as [IncomingMessage]
    assert.equal(((await json(reply)) as { success: boolean }).success, true)
  })

  it('the picture has a type from Accept', async () => {
    const png = await service().fetchPath('/api/v1/animals/cat', { headers: { accept: 'image/png' } })
    assert.equal(png.headers.get('content-type'), 'image/png')
  })

  it('if no picture has the type in Accept, any type is sent; if none has the parameter type, that is an error', async () => {
    const headers = { accept: 'image/jpeg' }
    const any = await service().fetchPath('/api/v1/animals/cat', { headers })
    assert.match(any.headers.get('content-type') ?? '', /^image\/(webp|png)$/)
    const none = await service().fetchJson('/api/v2/random/animal/cat?type=jpeg', { headers })
    assert.equal(none.body.code, 'NOTHING_MATCHES')
  })

  it('the size of a drawing is known in requests with options', async () => {
    for (const query of ['seed=a wish', 'type=png', 'exclude=webp,png']) {
      const { body } = await service().fetchJson(`/api/v2/random/animal/bird?${query}`)
      const picture = await service().fetchPath(body.message.slice(service().url.length))
      assert.equal(body.item.size, (await picture.bytes()).length, query)
    }
  })

  it('the same seed repeats the choice, another seed changes it', async () => {
    const pick = async (seed: string) =>
      (await service().fetchJson(`/api/v2/random/animal/fox?seed=${seed}`)).body.message
    assert.equal(await pick('a'), await pick('a'))
    assert.notEqual(await pick('a'), await pick('b'))
    const many = async () =>
      (await service().fetchJson('/api/v2/random/kaomoji/love?seed=%F0%9F%90%88&count=50')).body.message
    assert.deepEqual(await many(), await many())
  })

  it('type and exclude select picture types', async () => {
    const typeOf = async (query: string) =>
      (await service().fetchJson(`/api/v2/random/animal/cat?${query}`)).body.item.type
    assert.equal(await typeOf('type=png'), 'image/png')
    assert.equal(await typeOf('type=svg,gif'), 'image/svg+xml')
    assert.equal(await typeOf('type=image/svg%2Bxml,image/gif'), 'image/svg+xml')
    assert.equal(await typeOf('type=image/svg+xml'), 'image/svg+xml')
    assert.equal(await typeOf('exclude=webp,image/svg+xml'), 'image/png')
    assert.equal(await typeOf('exclude=image/webp'), 'image/png')
  })

  it('any in v2 picks among all kinds, and item.kind is the one picked', async () => {
    for (const [path, category, kinds] of [
      ['animal', 'animals', ANIMALS],
      ['kaomoji', 'kaomoji', KAOMOJI],
      ['string', 'string', ['8ball']],
      ['yt-video', 'yt-video', ['hl-cats']],
    ] as const) {
      const one = (await service().fetchJson(`/api/v2/random/${path}/any`)).body
      assert.deepEqual(one.info, { category, endpoint: 'any' })
      assert.ok(kinds.includes(one.item.kind as never))
      const many = (await service().fetchJson(`/api/v2/random/${path}/any?count=7`)).body
      assert.equal(new Set(many.message).size, 7)
      const seeded = async () => (await service().fetchJson(`/api/v2/random/${path}/any?count=7&seed=a`)).body.message
      assert.deepEqual(await seeded(), await seeded())
    }
    const picture = await service().fetchPath('/api/v2/random/animal/any?format=image')
    assert.match(picture.headers.get('content-location') ?? '', /^\/media\/animals\/(?!any)/)
  })

  it('tags, orientation and avoid choose', async () => {
    const pick = async (query: string) => (await service().fetchJson(`/api/v2/random/${query}`)).body
    const { item } = await pick('animal/any?tags= Shiny ,-cat,-dog&orientation=square')
    assert.ok(item.tags.includes('shiny') && !['cat', 'dog'].includes(item.kind), JSON.stringify(item))
    const found = async () => (await pick('animal/fox?tags=night&seed=x&count=2')).message
    assert.deepEqual(await found(), await found())
    assert.equal((await pick('animal/fox?tags=&avoid=&type=&exclude=')).success, true, 'empty lists are ignored')

    const { body } = await service().fetchJson('/api/v2/random/animal/fox?tags=unicorn')
    assert.ok(body.availableTags.includes('fox'))
    const videos = await pick('yt-video/any?count=50')
    const ids = [...new Set(videos.items.map(({ id }: { id: string }) => id))]
    const rest = await pick(`yt-video/any?avoid=${ids.slice(1)}`)
    assert.equal(rest.item.id, ids[0])
    const none = await pick(`yt-video/any?avoid=${ids}`)
    assert.equal(none.code, 'NOTHING_MATCHES')
    assert.match(none.message, /Send fewer ids/)
    const [first, second] = (await pick('kaomoji/love?seed=k&count=2')).items
    assert.equal((await pick(`kaomoji/love?seed=k&avoid=${first.id}`)).item.id, second.id)
  })
})
