import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseNewsSource, renderMarkdown } from '../../../src/features/releases/read/parse-news.ts'
import { BASE, news, openTestReleases, writeFiles } from '../../kit/releases.ts'

test('news have the documented fields, newest first', async (t) => {
  const second = '---\ntitle: B\ndate: 2026-02-01\nid: custom\nsummary: Short\nurl: https://blog.example/b\n---\n# Hi\n'
  const { releases } = await openTestReleases(t, {
    'news/a.md': news('A', '2026-01-01', 'One **bold** & two.\n\nMore.'),
    'news/b.md': second,
  })
  assert.deepEqual(releases.news(BASE).news, [
    {
      id: 'custom',
      title: 'B',
      date: '2026-02-01T00:00:00.000Z',
      summary: 'Short',
      html: '<h1>Hi</h1>',
      url: 'https://blog.example/b',
    },
    {
      id: 'a',
      title: 'A',
      date: '2026-01-01T00:00:00.000Z',
      summary: 'One bold & two.',
      html: '<p>One <strong>bold</strong> &amp; two.</p>\n<p>More.</p>',
      url: `${BASE}/launcher/news#a`,
    },
  ])
})

const dangers: [markdown: string, absent: RegExp][] = [
  ['<script>alert(1)</script>Text', /script|alert/],
  ['<scr<script>ipt>alert(1)</script>', /<script/i],
  ['<img src=x onerror=alert(1)>', /onerror/],
  ['<p onclick="x()">a</p>', /onclick/],
  ['[a](javascript:alert(1))', /javascript/],
  ['[a](JaVaScRiPt&#58;alert(1))', /href/],
  ['[a](java&#10;script:alert(1))', /href/],
  ['<a href="\u0001javascript:alert(1)">a</a>', /href/],
  ['[a](data:text/html;base64,PHNjcmlwdD4=)', /data:/],
  ['[a](vbscript:x)', /vbscript/],
  ['![a](javascript:alert(1))', /javascript/],
  ['<iframe src="https://evil.example"></iframe>', /iframe|evil/],
  ['<object data="x"></object><embed src="x">', /object|embed/],
  ['<style>body{display:none}</style><p style="x">a</p>', /style|display/],
  ['<form action="https://evil.example"><input name=a></form>', /form|input|evil/],
  ['<svg><animate onbegin=alert(1)></svg>', /svg|onbegin/],
  ['<math><mtext></math>', /math/],
  ['<base href="https://evil.example"><meta http-equiv=refresh>', /base|meta/],
  ['<a href="//evil.example">a</a>', /href/],
  ['<p id="login" class="x" name="y">a</p>', /id=|class=|name=/],
]
for (const [markdown, absent] of dangers) {
  test(`${JSON.stringify(markdown)} in Markdown is rendered safely`, () =>
    assert.doesNotMatch(renderMarkdown(markdown), absent))
}

test('all elements of Markdown are kept', () => {
  const html = renderMarkdown(
    '# T\n\n- [a](https://x.example/ "t")\n\n1. b\n\n`c`\n\n> q\n\n|h|\n|-|\n|d|\n\n![i](https://x.example/i.png)',
  )
  for (const part of [
    '<h1>',
    '<li>',
    'href="https://x.example/"',
    '<ol>',
    '<code>',
    '<blockquote>',
    '<td>',
    '<img src',
  ]) {
    assert.ok(html.includes(part), `${part} in ${html}`)
  }
})

const TAG = /<\/?([a-z0-9]+)((?: [a-z]+="[^"<>]*")*) ?\/?>/g

test('any text is rendered to safe tags, safe attributes and web links', () => {
  const words = [
    '<',
    '>',
    '"',
    "'",
    '&',
    'script',
    ' onerror=',
    'javascript:',
    '[a](',
    ')',
    '`',
    '\n',
    '<img src=',
    '<a href=',
  ]
  const piece = fc.oneof(fc.constantFrom(...words), fc.string({ maxLength: 5 }))
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const html = renderMarkdown(pieces.join(''))
      assert.doesNotMatch(html.replace(TAG, ''), /[<>]/)
      for (const [, name = '', attributes = ''] of html.matchAll(TAG)) {
        assert.doesNotMatch(name, /^(script|style|iframe|object|embed|form|svg|math)$/)
        for (const [, attribute = '', value = ''] of attributes.matchAll(/([a-z]+)="([^"]*)"/g)) {
          assert.doesNotMatch(attribute, /^(on|style$|id$)/)
          if (/^(href|src)$/.test(attribute)) assert.doesNotMatch(value, /^\s*(?!https?:|mailto:)[\w+.-]+:/)
        }
      }
    }),
  )
})

test('two files with the same id are reported, and the first file keeps the id', async (t) => {
  const { dir, releases } = await openTestReleases(t, { 'news/b.md': news('First') })
  await writeFiles(dir, { 'news/a.md': news('Second').replace('---\n', '---\nid: b\n') })
  await releases.reload()
  const [problem] = releases.problems()
  assert.equal(problem?.rule, 'id-once')
  assert.match(problem?.message ?? '', /news\/a\.md and news\/b\.md/)
  assert.deepEqual(
    releases.news(BASE).news.map(({ title }) => title),
    ['First'],
  )
})

const mistakes: [what: string, text: string, line: number, rule: string][] = [
  ['no front matter', 'Hello', 1, 'front-matter'],
  ['front matter that does not end', '---\ntitle: A\ndate: 2026-01-01\n', 1, 'front-matter'],
  ['no title', '---\ndate: 2026-01-01\n---\n', 2, 'required'],
  ['a day that does not exist', '---\ntitle: A\ndate: 2026-04-31\n---\n', 3, 'date'],
  ['a repeated key', '---\ntitle: A\ntitle: B\ndate: 2026-01-01\n---\n', 3, 'duplicate-key'],
  ['a javascript: URL', '---\ntitle: A\ndate: 2026-01-01\nurl: javascript:alert(1)\n---\n', 4, 'url'],
  ['an id with a slash', '---\ntitle: A\ndate: 2026-01-01\nid: a/b\n---\n', 4, 'id'],
  ['deep nesting', news('A', '2026-01-01', '>'.repeat(20_000)), 1, 'markdown'],
  ['too many bytes', news('A', '2026-01-01', 'x'.repeat(300_000)), 1, 'size'],
]
for (const [what, text, line, rule] of mistakes) {
  test(`news with ${what} are reported with file, line and rule, and the others are served`, async (t) => {
    const { releases } = await openTestReleases(t, { 'news/bad.md': text, 'news/good.md': news('Good') })
    const [problem] = releases.problems()
    assert.deepEqual([problem?.file, problem?.line, problem?.rule], ['news/bad.md', line, rule])
    assert.deepEqual(
      releases.news(BASE).news.map(({ id }) => id),
      ['good'],
    )
  })
}

test('missing fields of the front matter are named', () => {
  const [problem] = parseNewsSource('news/a.md', '---\nid: a\n---\nText.\n').problems
  assert.equal(problem?.message, 'The file must have "title" and "date"')
})
