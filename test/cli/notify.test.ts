import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commandLine } from '../kit/command-line.ts'
import { startReceiver } from '../kit/receiver.ts'

test('"notify test" sends one message to each webhook', async (t) => {
  const receiver = await startReceiver(t)
  const urls = ['discord+', 'ntfy+', ''].map((prefix, index) => `${prefix}${receiver.url(`/${index}`)}`)
  const { json } = await commandLine(t, { NOTIFY_URLS: urls.join(','), PUBLIC_URL: 'https://animals.example' })
  const { results } = await json('notify', 'test')
  assert.deepEqual(results, [
    { webhook: 'webhook 1 (discord)' },
    { webhook: 'webhook 2 (ntfy)' },
    { webhook: 'webhook 3 (json)' },
  ])
  const byPath = (path: string) => receiver.received.find((message) => message.path === path)
  assert.equal(receiver.received.length, 3)
  assert.match(JSON.parse(byPath('/0')?.body ?? '').content, /^\*\*animals\.example: test\*\*\n/)
  assert.equal(byPath('/1')?.headers.title, 'animals.example: test')
  assert.equal(JSON.parse(byPath('/2')?.body ?? '').event, 'test')
})

test('"notify test" fails if one webhook fails, and shows no URL', async (t) => {
  const [working, failing] = [
    await startReceiver(t),
    await startReceiver(t, (response) => response.writeHead(500).end()),
  ]
  const { run } = await commandLine(t, { NOTIFY_URLS: `${working.url('/secret')},${failing.url('/secret')}` })
  const { code, stdout } = await run('notify', 'test')
  assert.equal(code, 1)
  assert.match(stdout, /webhook 1 \(json\)\tsent\nwebhook 2 \(json\)\treplied with status 500/)
  assert.doesNotMatch(stdout, /secret|127\.0\.0\.1/)
  assert.equal(failing.received.length, 1)
})

test('"notify test" without webhooks names the setting', async (t) => {
  const { fail } = await commandLine(t)
  assert.match(await fail('notify', 'test'), /NOTIFY_URLS is empty/)
})
