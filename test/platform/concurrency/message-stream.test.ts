import assert from 'node:assert/strict'
import { PassThrough, Writable } from 'node:stream'
import { test } from 'node:test'
import fc from 'fast-check'
import { readMessages, sendMessage } from '../../../src/platform/concurrency/start-program.ts'

const message = fc.record({ data: fc.jsonValue(), bytes: fc.uint8Array({ maxLength: 50 }) })

test('messages arrive as they were sent, in whatever pieces the pipe delivers them', () =>
  fc.assert(
    fc.property(fc.array(message), fc.integer({ min: 1, max: 60 }), (messages, pieceBytes) => {
      const chunks: Buffer[] = []
      const sent = new Writable({
        writev: (list, done) => {
          for (const { chunk } of list) chunks.push(chunk)
          done()
        },
      })
      for (const { data, bytes } of messages) sendMessage(sent, data, bytes)
      const all = Buffer.concat(chunks)
      const received: unknown[] = []
      const pipe = new PassThrough()
      readMessages(
        pipe,
        () => 50,
        (data, bytes = Buffer.alloc(0)) => received.push({ data, bytes: new Uint8Array(bytes) }),
      )
      for (let at = 0; at < all.length; at += pieceBytes) pipe.emit('data', all.subarray(at, at + pieceBytes))
      assert.equal(JSON.stringify(received), JSON.stringify(messages))
    }),
  ))
