// The bots of the guide "Chats" are run as they stand, with a real service and with servers that play the chats.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { generateKeyPairSync, sign } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { readCodeBlocks } from '../kit/code-blocks.ts'
import { temporaryFolder } from '../kit/folder.ts'
import { ROOT } from '../kit/root.ts'
import { startTestService } from '../kit/service.ts'
import { startSource } from '../kit/source.ts'
import { until } from '../kit/until.ts'

/** Starts a bot of the guide; returns a function that reads its output. */
async function startBot(t: TestContext, name: string, url: string, environment: Record<string, string>) {
  const blocks = await readCodeBlocks(join(ROOT, 'src/http/pages/guides/texts/chats.md'))
  const code = blocks.find(({ note }) => note === name)?.code ?? ''
  const file = join(await temporaryFolder(t), 'bot.mjs')
  await writeFile(file, code.replaceAll('{base}', url))
  const bot = spawn(process.execPath, [file], { env: { ...process.env, ...environment } })
  let output = ''
  for (const stream of [bot.stdout, bot.stderr]) stream.on('data', (text) => (output += text))
  t.after(async () => {
    bot.kill()
    if (bot.exitCode === null && bot.signalCode === null) await once(bot, 'exit')
  })
  return () => output
}

test('the Discord bot registers its command, and answers only what Discord has signed', async (t) => {
  const { url } = await startTestService(t)
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const registered: { path: string | undefined; token: string | undefined; commands: { name: string }[] }[] = []
  const discord = await startSource(t, async (request, response) => {
    const commands = (await json(request)) as { name: string }[]
    registered.push({ path: request.url, token: request.headers.authorization, commands })
    response.end('[]')
  })
  const readOutput = await startBot(t, 'discord', url, {
    DISCORD_PUBLIC_KEY: Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url').toString('hex'),
    DISCORD_APPLICATION_ID: '42',
    DISCORD_TOKEN: 'secret',
    DISCORD_API: discord.url('/api'),
    PORT: '0',
  })
  await until(() => /port \d+/.test(readOutput()))
  const [, port] = /port (\d+)/.exec(readOutput())!
  assert.deepEqual(
    registered.map(({ path, token, commands }) => [path, token, commands[0]?.name]),
    [['/api/applications/42/commands', 'Bot secret', 'animal']],
  )

  const send = async (interaction: object, { key = privateKey, body = JSON.stringify(interaction) } = {}) => {
    const timestamp = '1700000000'
    const signature = sign(null, Buffer.from(timestamp + JSON.stringify(interaction)), key).toString('hex')
    const headers = { 'X-Signature-Ed25519': signature, 'X-Signature-Timestamp': timestamp }
    const reply = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body })
    return { status: reply.status, value: (await reply.json()) as { type: number; data: { content: string } } }
  }
  assert.deepEqual(await send({ type: 1 }), { status: 200, value: { type: 1 } })
  assert.equal((await send({ type: 1 }, { key: generateKeyPairSync('ed25519').privateKey })).status, 401)
  assert.equal((await send({ type: 1 }, { body: '{"type":2}' })).status, 401)
  assert.equal((await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{"type":1}' })).status, 401)

  const ask = (kind: string) => send({ type: 2, channel_id: 'c', data: { options: [{ name: 'kind', value: kind }] } })
  // The bot must answer within three seconds; a busy machine may be slower.
  let { value } = await ask('fox')
  await until(async () => {
    if (!('embeds' in value.data)) value = (await ask('fox')).value
    return 'embeds' in value.data
  })
  const [embed] = (value.data as unknown as { embeds: { description: string; image: { url: string } }[] }).embeds
  assert.equal(value.type, 4)
  assert.match(embed!.description, /fox/)
  const picture = await fetch(embed!.image.url)
  assert.equal(picture.headers.get('content-type'), 'image/png')
  assert.match(picture.headers.get('cache-control') ?? '', /immutable/)
  assert.match((await ask('unicorn')).value.data.content, /There is no kind "unicorn"/)
})

test('the Telegram bot answers each command once, with a permanent URL', async (t) => {
  const { url } = await startTestService(t)
  const sent: { method: string; parameters: Record<string, string> }[] = []
  const texts = ['hello', '/cat', '/animal@my_bot shiny', '/fox unicorn']
  const telegram = await startSource(t, async (request, response) => {
    const method = request.url!.split('/').at(-1)!
    const parameters = (await json(request)) as Record<string, string> & { offset: number }
    if (method !== 'getUpdates') {
      sent.push({ method: `${request.url}`, parameters })
      response.end('{"ok":true,"result":{}}')
      return
    }
    const updates = texts.map((text, index) => ({ update_id: index + 1, message: { chat: { id: 7 }, text } }))
    const unread = updates.filter(({ update_id }) => update_id >= parameters.offset)
    // Like Telegram: without messages, the reply comes much later.
    if (unread.length > 0) response.end(JSON.stringify({ ok: true, result: unread }))
  })
  const TELEGRAM_API = telegram.url('').replace(/\/$/, '')
  await startBot(t, 'telegram', url, { TELEGRAM_TOKEN: 'secret', TELEGRAM_API })
  await until(() => sent.length === 3)
  assert.deepEqual(
    sent.map(({ method, parameters }) => [method, parameters.chat_id]),
    ['sendPhoto', 'sendPhoto', 'sendMessage'].map((method) => [`/botsecret/${method}`, 7]),
  )
  const [cat, shiny, unknown] = sent.map(({ parameters }) => parameters)
  assert.match(cat!.photo!, /\/media\/animals\/cat\/~\w+\.png$/)
  assert.match(cat!.caption!, /cat|kitten/i)
  assert.equal((await fetch(shiny!.photo!)).status, 200)
  assert.match(unknown!.text!, /No item was found/)
})
