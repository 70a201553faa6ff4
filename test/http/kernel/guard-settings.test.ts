import assert from 'node:assert/strict'
import { test } from 'node:test'
import { APP } from '../../kit/app.ts'
import { startTestService } from '../../kit/service.ts'

test('FILTER_PORTS decides which ports images are fetched from', async (t) => {
  const service = await startTestService(t, { FILTER_PORTS: '8000-8010' })
  const codeOf = async (image: string) =>
    (await service.askJson(`/api/v2/filter/invert?image=${encodeURIComponent(image)}`)).body.code
  assert.equal(await codeOf('http://pictures.invalid/cat.png'), 'IMAGE_ADDRESS_FORBIDDEN')
  assert.equal(await codeOf('http://pictures.invalid:8005/cat.png'), 'IMAGE_UNREACHABLE')
})

test('BAN_WRONG_TOKENS decides how many wrong tokens get an address banned', async (t) => {
  const service = await startTestService(t, { BAN_WRONG_TOKENS: '2/60', TRUST_PROXY: 'loopback' })
  const headers = { 'X-Forwarded-For': '203.0.113.5', Authorization: 'Bearer wrong' }
  const codes: string[] = []
  for (let i = 0; i < 3; i++) codes.push((await service.askJson(`${APP}/operator/overview`, { headers })).body.code)
  assert.deepEqual(codes, ['TOKEN_INVALID', 'TOKEN_INVALID', 'BANNED'])
})
