import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writeSettledFiles } from '../../kit/content.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { tinyPng } from '../../kit/pictures.ts'
import { startTestService } from '../../kit/service.ts'
import { until } from '../../kit/until.ts'

test('a name with a digest is immutable, the plain name must be revalidated', async (t) => {
  const dir = await temporaryFolder(t)
  await writeSettledFiles(dir, { 'animals/cat/tom.png': tinyPng(1) })
  const { url, fetchPath, fetchJson } = await startTestService(t, { CONTENT_DIR: dir })
  await until(async () => /tom/.test((await fetchJson('/api/v1/animals/cat')).body.message))
  const digested = (await fetchJson('/api/v1/animals/cat')).body.message.slice(url.length)
  const [named, plain] = [await fetchPath(digested), await fetchPath('/media/animals/cat/tom.png')]
  assert.equal(named.headers.get('cache-control'), 'public, max-age=31536000, immutable')
  assert.doesNotMatch(plain.headers.get('cache-control') ?? 'immutable', /immutable|max-age=\d{4,}/)
  assert.deepEqual(await plain.bytes(), await named.bytes())

  // Again, because the second reply comes from memory.
  assert.match((await fetchPath(digested)).headers.get('cache-control') ?? '', /immutable/)
  assert.doesNotMatch((await fetchPath('/media/animals/cat/tom.png')).headers.get('cache-control') ?? '', /immutable/)
})

test('a name is an avatar: any text is the seed of a drawing, also as the source of a filter', async (t) => {
  const { url, fetchPath } = await startTestService(t, { CONTENT_DIR: await temporaryFolder(t) })
  for (const seed of ['Zoë Müller', 'a.b', '../../package', 'a/b?c#d&e']) {
    const path = `/media/animals/cat/~${encodeURIComponent(seed)}.png`
    const reply = await fetchPath(path)
    assert.deepEqual([reply.status, reply.headers.get('content-type')], [200, 'image/png'], seed)
    const filtered = await fetchPath(`/api/v2/filter/invert?image=${encodeURIComponent(url + path)}`)
    assert.equal(filtered.status, 200, seed)
  }
})
