import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { APP, createToken } from '../../../kit/app.ts'
import { writeSettledFiles } from '../../../kit/content.ts'
import { temporaryFolder } from '../../../kit/folder.ts'
import { startPictureSource } from '../../../kit/picture-source.ts'
import { tinyPng } from '../../../kit/pictures.ts'
import { forSuite } from '../../../kit/scope.ts'
import { startTestService } from '../../../kit/service.ts'
import { until, untilEqual } from '../../../kit/until.ts'

const ATTACK = `${APP}/operator/x?a=../../etc/passwd`

describe('the image of a filter on a node of the same service', () => {
  const suite = forSuite(async (t) => {
    // The node would ban this address like any other.
    const node = await startTestService(t, { BAN_EXEMPT: '' })
    const source = await startPictureSource(t)
    const allowed = [new URL(node.url).host, source.host].join(',')
    const service = await startTestService(t, { FILTER_ALLOW_HOSTS: allowed })
    const filter = (image: string) => service.fetchPath(`/api/v2/filter/invert?image=${encodeURIComponent(image)}`)
    return { node, source, service, filter }
  })

  test('cannot be used to get the address of the service banned', async () => {
    const { node, source, filter } = suite()
    const redirect = source.put('/redirect', (_, response) =>
      response.writeHead(302, { location: node.url + ATTACK }).end(),
    )
    for (const image of [node.url + ATTACK, redirect]) {
      const { code, sourceStatus } = (await (await filter(image)).json()) as Record<string, unknown>
      assert.deepEqual([code, sourceStatus], ['IMAGE_UNREACHABLE', 508], image)
      assert.equal((await node.fetchPath('/api/v1/version')).status, 200, image)
    }
  })

  test('is a picture or refused', async () => {
    const { node, filter } = suite()
    assert.equal((await filter(`${node.url}/media/animals/cat/~a.png`)).status, 200)
    for (const path of ['/api/v1/version', '/missing', '/', '/media/../api/v1/version']) {
      assert.equal((await filter(node.url + path)).status, 502, path)
    }
  })

  test('is refused without a request if its URL starts with the URL of the service', async () => {
    const { service, filter } = suite()
    const { code } = (await (await filter(service.url + ATTACK)).json()) as Record<string, unknown>
    assert.equal(code, 'IMAGE_ADDRESS_FORBIDDEN')
  })

  test('is refused if a parameter in its URL is given twice: one of them would be used without a check', async () => {
    const { service, filter } = suite()
    const picture = `${service.url}/media/animals/cat/~a.png`
    for (const query of ['size=5000&size=64', 'edition=1.5&%65dition=1', 'width=3000&width=64']) {
      const { code } = (await (await filter(`${picture}?${query}`)).json()) as Record<string, unknown>
      assert.equal(code, 'REPEATED_PARAMETER', query)
    }
    assert.equal((await filter(`${picture}?size=64&background=none`)).status, 200)
  })

  test('an attacker who sends the mark of a fetch gets nothing but an error', async () => {
    const { node } = suite()
    const { headers } = await createToken(node.dataDir)
    for (const mark of ['menagerie', 'cloudflare, Menagerie; v=1']) {
      const reply = await fetch(`${node.url}${APP}/operator/overview`, { headers: { ...headers, 'cdn-loop': mark } })
      assert.equal(((await reply.json()) as { code: string }).code, 'LOOP_DETECTED', mark)
    }
    for (const mark of ['cloudflare', 'menagerie2', 'my-menagerie']) {
      assert.equal((await node.fetchPath('/api/v1/version', { headers: { 'cdn-loop': mark } })).status, 200, mark)
    }
  })
})

test('a picture that was removed is not filtered, also if the results are in the caches', async (t) => {
  const dir = await temporaryFolder(t)
  const files = {
    'animals/panda/1.png': tinyPng(1),
    'animals/panda/2.png': tinyPng(2),
    'animals/panda/3.png': tinyPng(3),
  }
  await writeSettledFiles(dir, files)
  const { fetchPath } = await startTestService(t, { CONTENT_DIR: dir })
  const pick = '/api/v2/random/animal/panda?format=text&seed=1'
  await until(async () => (await fetchPath(pick)).status === 200)
  const image = await (await fetchPath(pick)).text()
  const filter = (name: string) => fetchPath(`/api/v2/filter/${name}?image=${encodeURIComponent(image)}`)
  for (const cache of ['miss', 'hit', 'hit']) assert.equal((await filter('invert')).headers.get('x-cache'), cache)
  const [, number] = /panda\/(\d)-/.exec(image)!
  await rm(join(dir, `animals/panda/${number}.png`))
  await untilEqual(async () => (await fetch(image)).status, 404)
  for (const name of ['invert', 'greyscale']) assert.equal((await filter(name)).status, 404, name)
})
