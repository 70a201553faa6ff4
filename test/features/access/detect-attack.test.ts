import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { intentOf } from '../../../src/features/access/index.ts'
import { ROOT } from '../../kit/root.ts'

const ATTACKS = [
  '/../../etc/passwd',
  '/..%2f..%2fetc%2fpasswd',
  '/%252e%252e%252fsecret',
  '/%c0%ae%c0%ae/secret',
  '/..\\..\\windows\\win.ini',
  '/overview?file=../../../secret',
  '/overview%00.json',
  "/overview?id=1' or '1'='1",
  '/overview?id=1%27%20OR%201=1--',
  '/overview?id=1+UNION+ALL+SELECT+password+FROM+users',
  '/overview?id=1;drop%20table%20users',
  '/overview?id=sleep(5)',
  '/overview?q=<script>alert(1)</script>',
  '/overview?q=%3Cimg%20src=x%20onerror=alert(1)%3E',
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
  '/overviw',
  '/overview/',
  '/Overview',
  '/clients?state=asked',
  '/downloads?format=csv',
  '/bans/2001:db8::%2F64',
  '/clients/123e4567-e89b-12d3-a456-426614174000/grant',
  '/overview?q=(=^%EF%BD%A5%CF%89%EF%BD%A5^=)',
  '/overview?q=¯\\_(ツ)_/¯',
  '/overview?note=rock & roll; cats',
  "/overview?note=it's fine",
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

for (const url of ATTACKS) test(`${url} shows intent`, () => assert.ok(intentOf(url), url))
for (const url of INNOCENT) test(`${url || '(nothing)'} shows none`, () => assert.equal(intentOf(url), undefined))

test('no kaomoji of ours in a query shows intent', () => {
  const folder = join(ROOT, 'content', 'kaomoji')
  for (const kind of ['cat', 'dog', 'owo', 'uwu', 'love']) {
    const lines = readFileSync(join(folder, `${kind}.txt`), 'utf8').split('\n')
    for (const line of lines.filter((text) => text && !text.startsWith('#'))) {
      assert.equal(intentOf(`/overview?q=${encodeURIComponent(line)}`), undefined, line)
      assert.equal(intentOf(`/overview?q=${line}`), undefined, line)
    }
  }
})
