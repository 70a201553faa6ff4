import assert from 'node:assert/strict'
import { test } from 'node:test'
import { intentOf } from '../../../src/features/access/index.ts'
import { withinSeconds } from '../../kit/hang.ts'

/** What the patterns begin with, and go on with: never a whole one, or the search would end there. */
const BEGINNINGS = [
  ...['..', '/etc/', 'boot.', '\\..x'],
  ...[
    'union ',
    'union(all(',
    'union/**/',
    "'or 1",
    '"and "',
    "' ",
    ';drop ',
    ';\t',
    'sleep (',
    'pg_sleep( ',
    'waitfor ',
  ],
  ...['< ', '<scrip', 'javascript', 'onload ', 'onerror\t'],
  ...['${', '${ ', '{{', '{{config', '{{1*1', '{{1 *', '1 * ', '#{', '#{1*1', '#{1 ', '<%=', '<%= ', '%> <'],
  ...['; ', '|', '`\n', '$(', '&&'],
  ...['__proto_', 'constructor[', 'O:1', 'O:1:', '[$', '[$n'],
  ...['/.', '/wp-', '/a-a', '/a.', '/vendor/', '%', '%25', '%c0', '%2525', ' ', '\t', '1', 'a'],
]
const LONG = 8 * 1024

const filled = (text: string) => text.repeat(Math.ceil(LONG / text.length)).slice(0, LONG)

test('no text takes long to search, whatever beginnings of patterns it repeats', () => {
  withinSeconds(60, () => {
    for (const first of BEGINNINGS) {
      intentOf(`/?x=${filled(first)}`)
      intentOf(`/?x=${filled(encodeURIComponent(first))}`)
      for (const second of BEGINNINGS) {
        intentOf(`/?x=${filled(first + second)}`)
        intentOf(`/?x=${filled(first).slice(LONG / 2)}${filled(second).slice(LONG / 2)}`)
      }
    }
  })
})

test('a text of any length is searched as far as a URL may be long', () => {
  withinSeconds(60, () => {
    for (const first of BEGINNINGS) intentOf(first.repeat(1_000_000))
  })
  assert.equal(intentOf(`/?x=${'a'.repeat(8000)}<script>`), 'script-injection')
})
