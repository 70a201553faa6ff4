import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseFetchUrl } from '../../../src/platform/net/index.ts'
import { failsWith } from './kit.ts'

test('an absolute http or https URL is normalised and loses its fragment', () => {
  const spellings = {
    'https://example.com/a.png?b=c#d': 'https://example.com/a.png?b=c',
    'https://example.com/#': 'https://example.com/',
    'HTTP://EXAMPLE.com:80': 'http://example.com/',
    'http://example.com./x': 'http://example.com/x',
    'http://bücher.example/ä b': 'http://xn--bcher-kva.example/%C3%A4%20b',
    'http://例え.example/': 'http://xn--r8jz45g.example/',
    'http://[2606:4700::1]:8080/': 'http://[2606:4700::1]:8080/',
    ' http://exa\tmple.com/ ': 'http://example.com/',
  }
  for (const [text, href] of Object.entries(spellings)) assert.equal(parseFetchUrl(text).href, href)
})

const invalid = [
  ...['', 'x', '/a.png', '//example.com/a.png', 'example.com/a.png', 'http://', 'http:///', 'http://.', 'http://a..b/'],
  ...['ftp://example.com/', 'file:///etc/passwd', 'data:image/png;base64,AAAA', 'javascript:alert(1)', 'gopher://a/'],
  ...['blob:http://example.com/1', 'ws://example.com/', 'http://user@example.com/', 'http://:pass@example.com/'],
  ...['http://user:pass@example.com/', 'http://exa mple.com/', 'http://example.com:99999/', 'http://[::1%25lo]/'],
  ...['http://256.1.1.1/', 'http://1.2.3.4.5/', 'http://ex%00ample.com/', 'http://example.com../', '\0http://a:b@c/'],
  ...[`http://example.com/${'a'.repeat(2048)}`, `http://example.com/${'a'.repeat(5 * 1024)}`],
  `http://${'a.'.repeat(200)}com/`,
]

test('anything else is refused with the reason', () => {
  for (const text of invalid) assert.throws(() => parseFetchUrl(text), failsWith('invalid-url'), text)
})

test('a URL has at most 2,048 characters', () => {
  const start = 'http://example.com/'
  assert.ok(parseFetchUrl(start + 'a'.repeat(2048 - start.length)))
  assert.throws(() => parseFetchUrl(start + 'a'.repeat(2049 - start.length)), /longer than 2048/)
})
