import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { listen } from '../../../src/http/kernel/listen.ts'

test('connections that the system cannot hand over are told of, and end nothing', async (t) => {
  const told: string[] = []
  const server = createServer()
  t.after(() => server.close())
  await listen(server, '127.0.0.1', 0, ({ message }) => told.push(message))
  // As Node does where the system has no memory for one.
  for (const message of ['accept ENOBUFS', 'accept ENOMEM']) server.emit('error', new Error(message))
  assert.deepEqual(told, ['accept ENOBUFS', 'accept ENOMEM'])
})
