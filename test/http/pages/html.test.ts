import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatJson } from '../../../src/http/pages/shared/format-json.ts'
import { html } from '../../../src/http/pages/shared/html.ts'

test('values in a template are escaped, nested templates are not', () => {
  const name = `<img src=x onerror="alert('1')">&`
  const inner = html`<b title="${name}">${name}</b>`
  const safe = '&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;'
  assert.equal(
    html`<p>${inner}${[1, 'a<']}${undefined}${false}</p>`.text,
    `<p><b title="${safe}">${safe}</b>1a&lt;</p>`,
  )
})

test('no value can add an element or an attribute to a template', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary-ascii' }), (text) => !/[<>"']/.test(html`${text}`.text)))
})

test('formatted JSON has the same value, and its bidirectional control characters are escaped', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) =>
      assert.deepEqual(JSON.parse(formatJson(value)), JSON.parse(JSON.stringify(value))),
    ),
  )
  assert.equal(formatJson({ a: '\u202egnp.exe' }), '{\n  "a": "\\u202egnp.exe"\n}')
})
