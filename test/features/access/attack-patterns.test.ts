import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runInNewContext } from 'node:vm'
import { detectAttack, detectAttackInHeaders } from '../../../src/features/access/index.ts'
import { ROOT } from '../../kit/root.ts'

/** Ends synchronous work that could run forever, and fails the test. */
function failAfterSeconds(seconds: number, work: () => void): void {
  runInNewContext('work()', { work }, { timeout: seconds * 1000 })
}

const ATTACKS = [
  '/../../etc/passwd',
  '/..%2f..%2fetc%2fpasswd',
  '/%252e%252e%252fsecret',
  '/%c0%ae%c0%ae/secret',
  '/%e0%80%ae%E0%80%AE%c0%afsecret',
  '/%f0%80%80%ae%f0%80%80%ae%c1%9csecret',
  '/..;/secret',
  '/..%01/secret',
  '/....//....//secret',
  '/%uff0e%uff0e%uff0fsecret',
  '/overview?q=＜script＞',
  '/a/..?x',
  '/overview?../secret',
  '/overview?x={"file":"../secret"}',
  '/..\\..\\windows\\win.ini',
  '/overview?file=../../../secret',
  '/overview%00.json',
  "/overview?id=1' or '1'='1",
  '/overview?id=1%27%20OR%201=1--',
  '/overview?id=1+UNION+ALL+SELECT+password+FROM+users',
  '/overview?id=1;drop%20table%20users',
  '/overview?id=sleep(5)',
  "/overview?id=1'/**/or/**/1=1",
  "/overview?id=1'/*a*/%6fr/*b*/'1'='1",
  '/overview?id=1;/**/drop/**/table/**/users',
  '/overview?id=sleep/**/(5)',
  '/overview?id=1%20OR%201=1',
  "/overview?id=admin'--",
  '/overview?id=1/*!50000union*//*!50000select*/1',
  '/overview?id={"a":"1\\" or \\"1\\"=\\"1"}',
  '/overview?id={"a":"1\\nunion\\tselect"}',
  '/overview?q=<script>alert(1)</script>',
  '/overview?q=%3Cimg%20src=x%20onerror=alert(1)%3E',
  '/overview?q=%u003cscript%u003e',
  '/overview?q=<!DOCTYPE a [<!ENTITY b SYSTEM "c">]>',
  '/overview?q=\u0024{jndi:ldap://a.example/x}',
  '/overview?q={{7*7}}',
  '/overview?q={{ x }}{{config.items()}}',
  '/overview?q=%7B%7B%0Aconfig%0A%7D%7D',
  '/overview?q=#{7*7}',
  '/overview?q=<%= 1 %>',
  '/overview?q=;cat /etc/hosts',
  '/overview?q=$(whoami)',
  '/overview?q=|id',
  '/overview?__proto__[x]=1',
  '/overview?q={"constructor":{"prototype":{}}}',
  '/overview?user[$ne]=1',
  '/.env',
  '/.git/config',
  '/wp-login.php',
  '/phpmyadmin',
  '/index.php?x=1',
]

const INNOCENT = [
  '',
  '/overview',
  '/blocklist/hosts/www.php.net',
  '/overviw',
  '/overview/',
  '/Overview',
  '/clients?state=pending',
  '/downloads?format=csv',
  '/bans/2001:db8::%2F64',
  '/clients/123e4567-e89b-12d3-a456-426614174000/grant',
  '/overview?q=(=^%EF%BD%A5%CF%89%EF%BD%A5^=)',
  '/overview?q=¯\\_(ツ)_/¯',
  '/overview?note=rock & roll; cats',
  "/overview?note=it's fine",
  "/overview?note=use '--force' or 1 of 2",
  '/overview?path=C:\\new\\table',
  "/overview?path='/*/or/*/1'",
  '/overview?note=1.5..2.5',
  '/overview?version=1.0.0-beta.1..2',
  '/overview?name=O%27Brien and sons',
  '/overview?q=100%25',
  '/overview?q=%',
  '/overview?q={{config',
  '/overview?q=config}} {{x',
  '/overview?q={{config}',
  '/overview?q=<%=%',
]

for (const url of ATTACKS) test(`${url} is an attack`, () => assert.ok(detectAttack(url), url))
for (const url of INNOCENT)
  test(`${url || '(empty)'} is not an attack`, () => assert.equal(detectAttack(url), undefined))

test('no kaomoji of the starter content is an attack', () => {
  const folder = join(ROOT, 'content', 'kaomoji')
  for (const kind of ['cat', 'dog', 'owo', 'uwu', 'love']) {
    const lines = readFileSync(join(folder, `${kind}.txt`), 'utf8').split('\n')
    for (const line of lines.filter((text) => text && !text.startsWith('#'))) {
      assert.equal(detectAttack(`/overview?q=${encodeURIComponent(line)}`), undefined, line)
      assert.equal(detectAttack(`/overview?q=${line}`), undefined, line)
    }
  }
})

/** Beginnings and parts of the patterns. None is a complete match, because a match would end the search early. */
const PARTIAL_MATCHES = [
  ...['..', '/etc/', 'boot.', '\\..x'],
  ...[
    'union ',
    'union(all(',
    'union/**/',
    '1union!',
    'or 1',
    'and\t11=',
    "'--",
    "'or 1",
    '"and "',
    "' ",
    ';drop ',
    ';\t',
    'sleep (',
    'pg_sleep( ',
    'waitfor ',
    "'/*",
    "'/**/",
    ";/*'*/",
    '/*;',
    'sleep/*a*/',
  ],
  ...['< ', '<scrip', 'javascript', 'onload ', 'onerror\t'],
  ...['${', '${ ', '{{', '{{config', '{{1*1', '{{1 *', '1 * ', '#{', '#{1*1', '#{1 ', '<%=', '<%= ', '%> <'],
  ...['; ', '|', '`\n', '$(', '&&'],
  ...['__proto_', 'constructor[', 'constructor".', 'O:1', 'O:1:', '[$', '[$n'],
  ...['/.', '/wp-', '/a-a', '/a.', '/vendor/', '%', '%25', '%c0', '%2525', ' ', '\t', '1', 'a'],
]
const MAX_URL_LENGTH = 8 * 1024

const repeatToMaxLength = (text: string) =>
  text.repeat(Math.ceil(MAX_URL_LENGTH / text.length)).slice(0, MAX_URL_LENGTH)

test('the search takes linear time, whatever partial matches a URL repeats', () => {
  failAfterSeconds(60, () => {
    for (const first of PARTIAL_MATCHES) {
      detectAttack(`/?x=${repeatToMaxLength(first)}`)
      detectAttack(`/?x=${repeatToMaxLength(encodeURIComponent(first))}`)
      for (const second of PARTIAL_MATCHES) {
        detectAttack(`/?x=${repeatToMaxLength(first + second)}`)
        const half = MAX_URL_LENGTH / 2
        detectAttack(`/?x=${repeatToMaxLength(first).slice(half)}${repeatToMaxLength(second).slice(half)}`)
      }
    }
  })
})

test('only the first 16 KiB of a longer text are searched', () => {
  failAfterSeconds(60, () => {
    for (const first of PARTIAL_MATCHES) detectAttack(first.repeat(1_000_000))
  })
  assert.equal(detectAttack(`/?x=${'a'.repeat(16_000)}<script>`), 'script-injection')
})

/** Requests. One of them took 150 ms when each part was searched by itself. */
const MANY = 500

test('thousands of short headers, or parts of headers, take no longer than one long text', () => {
  const cookie = ';%25'.repeat(7000)
  const headers = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`x-${i}`, '%25']))
  failAfterSeconds(60, () => {
    for (let i = 0; i < MANY; i++) assert.equal(detectAttackInHeaders({ cookie, 'user-agent': cookie }), undefined)
    for (let i = 0; i < MANY; i++) assert.equal(detectAttackInHeaders(headers), undefined)
  })
})

test('an attack is found in each of several headers, and none in two headers together', () => {
  assert.equal(detectAttackInHeaders({ cookie: 'a=1; b=2', 'x-a': '../secret', 'x-b': 'c' }), 'traversal')
  assert.equal(detectAttackInHeaders({ 'x-a': 'c', cookie: 'a=1; b=<script>', 'x-b': 'c' }), 'script-injection')
  assert.equal(
    detectAttackInHeaders({ cookie: 'q="cats" and "dogs"; theme=dark; id; ls', 'x-a': 'drop table' }),
    undefined,
  )
  assert.equal(detectAttackInHeaders({ 'x-a': 'a'.repeat(20_000), 'user-agent': '<script>' }), 'script-injection')
  assert.equal(detectAttackInHeaders({ 'x-a': "' or '1'", 'x-b': "='1" }), undefined)
  assert.equal(detectAttackInHeaders({ 'x-a': "a'--", 'user-agent': 'a longer text' }), 'sql-injection')
  assert.equal(detectAttackInHeaders({ 'x-a': '..', 'user-agent': 'a longer text' }), 'traversal')
  const [visitor, cookie] = ['{"scheme":"https"}', 'layout=%7B%22grid%22%3A%223*4%22%7D']
  assert.equal(detectAttackInHeaders({ te: '', 'cf-visitor': visitor, cookie }), undefined)
})
