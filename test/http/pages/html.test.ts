import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatJson } from '../../../src/http/pages/shared/format-json.ts'
import { html } from '../../../src/http/pages/shared/html.ts'

test('what stands in a template is escaped, what is a template already is not', () => {
  const name = `<img src=x onerror="alert('1')">&`
  const inner = html`<b title="${name}">${name}</b>`
  const safe = '&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;'
  assert.equal(
    html`<p>${inner}${[1, 'a<']}${undefined}${false}</p>`.text,
    `<p><b title="${safe}">${safe}</b>1a&lt;</p>`,
  )
})

test('no text gets an element or an attribute into a template', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary-ascii' }), (text) => !/[<>"']/.test(html`${text}`.text)))
})

test('JSON for people is the same JSON, without marks that turn the writing direction', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) =>
      assert.deepEqual(JSON.parse(formatJson(value)), JSON.parse(JSON.stringify(value))),
    ),
  )
  assert.equal(formatJson({ a: '\u202egnp.exe' }), '{\n  "a": "\\u202egnp.exe"\n}')
})
