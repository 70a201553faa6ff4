import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commandLine } from '../kit/command-line.ts'
import { freePort } from '../kit/redis.ts'
import { startTestService } from '../kit/service.ts'

test('health tells how the running service is, and what is wrong with it', async (t) => {
  const { url } = await startTestService(t)
  const cli = await commandLine(t, { HOST: '0.0.0.0', PORT: new URL(url).port })
  assert.deepEqual(await cli.here.json('health'), { success: true, state: 'ok', problems: [] })
})

test('health fails where nothing answers, and where the service is stopping', async (t) => {
  const nobody = await commandLine(t, { PORT: String(await freePort()) })
  assert.match(await nobody.here.refusal('health'), /^Nothing answers on http:\/\/127\.0\.0\.1:\d+\/readyz;/)
  const { url, service } = await startTestService(t)
  const cli = await commandLine(t, { PORT: new URL(url).port })
  const stopping = service.stop({ graceMs: 1000, lingerMs: 0 })
  const { code, stdout } = await cli.here.run('health')
  assert.deepEqual([code, stdout], [1, 'not ready\n  service: the service is stopping\n'])
  await stopping
})
