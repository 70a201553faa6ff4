import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseTranslationName } from '../../../src/features/releases/index.ts'
import { parseNews, parseNewsSource, renderMarkdown } from '../../../src/features/releases/read/parse-news.ts'
import { BASE, news, openTestReleases, writeFiles } from '../../kit/releases.ts'

test('news have the documented fields, newest first', async (t) => {
  const second =
    '---\ntitle: B\ndate: 2026-02-01\nid: custom\nsummary: Short\nurl: https://blog.example/b\nimage: /media/animals/fox/~b.png\nlang: de\n---\n# Hi\n'
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
      image: 'https://menagerie.example/media/animals/fox/~b.png',
      lang: 'de',
    },
    {
      id: 'a',
      title: 'A',
      date: '2026-01-01T00:00:00.000Z',
      summary: 'One bold & two.',
      html: '<p>One <strong>bold</strong> &amp; two.</p>\n<p>More.</p>',
      url: `${BASE}/launcher/news#a`,
      image: null,
      lang: 'en',
    },
  ])
})

test('links in HTML become absolute, and text that looks like one stays', async (t) => {
  const body = [
    '[a](/docs "title") ![b](media/b.png) [c](?x=1&y=2) [d](#top) <a title href="/e">e</a>',
    '[g](https://x.example/) [h](mailto:a@x.example) `href="/i"` <a href=" https://x.example/j">j</a>',
  ]
  const { releases } = await openTestReleases(t, { 'news/a.md': news('A', '2026-01-01', body.join('\n')) })
  const html = releases.news(BASE).news[0]?.html ?? ''
  const links = [...html.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, url = '']) => url.trim())
  const root = 'https://menagerie.example'
  assert.deepEqual(links, [
    `${root}/docs`,
    `${root}/media/b.png`,
    `${root}/?x=1&amp;y=2`,
    `${root}/#top`,
    `${root}/e`,
    'https://x.example/',
    'mailto:a@x.example',
    'https://x.example/j',
  ])
  assert.ok(html.includes('<code>href="/i"</code>'))
})

test('the extension of a file is not its language', () => {
  const read = (file: string) => Object.values(parseTranslationName(file))
  assert.deepEqual(['notes.txt', 'NOTES.MD', 'notes.de.txt'].map(read), [['notes'], ['NOTES'], ['notes', 'de']])
})

test('a summary does not end with half of an emoji', () => {
  const { value } = parseNews('news/a.md', news('A', '2026-01-01', `${'x'.repeat(238)}😀😀`))
  assert.equal(value?.summary, `${'x'.repeat(238)}…`)
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
  ['<a href="/\\\\evil.example">a</a>', /href/],
  ['<p id="login" class="x" name="y">a</p>', /id=|class=|name=/],
]
for (const [markdown, absent] of dangers) {
  test(`${JSON.stringify(markdown)} in Markdown is rendered safely`, () =>
    assert.doesNotMatch(renderMarkdown(markdown), absent))
}

test('Markdown that would block the service for seconds is refused, but not a long list or table', () => {
  const wideTable = `${'|a'.repeat(200)}|\n${'|-'.repeat(200)}|\n${'|\n'.repeat(200)}`
  for (const text of [
    '_a'.repeat(20_000),
    '**a*'.repeat(20_000),
    '*\n'.repeat(20_000),
    `- ${'a\n'.repeat(8000)}`,
    wideTable,
  ]) {
    const { problems } = parseNews('news/a.md', news('Slow', '2026-01-01', text))
    assert.match(problems[0]?.message ?? '', /more than 1000 asterisks, underscores and tildes/)
  }
  for (const text of ['- **a_b_c**\n', '1. **a_b_c**\n', '| **a** | b_c_d |\n', '**a_b_c**\n\n'])
    assert.deepEqual(parseNews('news/a.md', news('Long', '2026-01-01', text.repeat(1000))).problems, [])
})

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
          if (/^(href|src)$/.test(attribute)) assert.doesNotMatch(value, /^\s*(?!https?:|mailto:)[a-z][\w+.-]*:/i)
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

const translation = (title: string) => `---\ntitle: ${title}\n---\n${title}.\n`

test('each item is translated if it can be, and has one id and date in all languages', async (t) => {
  const { releases } = await openTestReleases(t, {
    'news/a.md': news('A', '2026-01-01'),
    'news/a.de.md': translation('A-de').replace('---\n', '---\nid: other\ndate: 2030-01-01\n'),
    'news/a.pt-br.md': translation('A-pt'),
    'news/b.md': news('B', '2026-01-02').replace('---\n', '---\nurl: https://x.example/b\n'),
    'news/b.de-AT.md': translation('B-de-AT'),
    'news/later.md': news('Later', '2999-01-01'),
    'news/later.fr.md': translation('Plus tard'),
  })
  const titles = (language?: string) => releases.news(BASE, language).news.map(({ title }) => title)
  assert.deepEqual(titles(), ['B', 'A'])
  assert.deepEqual(titles('de'), ['B-de-AT', 'A-de'])
  assert.deepEqual(titles('de-AT'), ['B-de-AT', 'A-de'])
  assert.deepEqual(titles('pt-PT'), ['B', 'A-pt'])
  assert.deepEqual(titles('en'), ['B', 'A'])
  const [b, a] = releases.news(BASE, 'de').news
  assert.deepEqual([a?.id, a?.date, a?.lang, a?.summary], ['a', '2026-01-01T00:00:00.000Z', 'de', 'A-de.'])
  assert.deepEqual([b?.id, b?.url, b?.lang], ['b', 'https://x.example/b', 'de-AT'])
  assert.deepEqual([...releases.newsLanguages().values()].sort(), ['de', 'de-AT', 'en', 'pt-BR', 'pt-BR'])
  assert.deepEqual(releases.problems(), [])
})

test('a translation without its original, or in a repeated language, is reported and not served', async (t) => {
  const { dir, releases } = await openTestReleases(t, {
    'news/a.md': news('A'),
    'news/a.en.md': translation('Again'),
    'news/a.fr.md': translation('A-fr').replace('---\n', '---\nlang: it\n'),
    'news/b.de.md': translation('B-de'),
  })
  const problems = releases.problems().map(({ file, rule }) => `${file} ${rule}`)
  assert.deepEqual(problems.sort(), ['news/a.en.md language-once', 'news/a.fr.md lang', 'news/b.de.md original'])
  assert.match(releases.problems().find(({ rule }) => rule === 'original')?.message ?? '', /no valid news\/b\.md/)
  assert.deepEqual(
    releases.news(BASE, 'de').news.map(({ title }) => title),
    ['A'],
  )
  await writeFiles(dir, { 'news/b.md': news('B', '2026-02-01') })
  await releases.reload()
  assert.equal(releases.news(BASE, 'de').news[0]?.title, 'B-de')
})

test('100 languages of one item are served', async (t) => {
  const letters = 'abcdefghijklmnopqrstuvwxyz'
  const tags = Array.from({ length: 100 }, (_, n) => `q${letters[Math.floor(n / 26)]}${letters[n % 26]}`)
  const files = Object.fromEntries(tags.map((tag) => [`news/a.${tag}.md`, translation(tag)]))
  const { releases } = await openTestReleases(t, { 'news/a.md': news('A'), ...files })
  assert.equal(releases.newsLanguages().size, 101)
  for (const tag of tags) assert.equal(releases.news(BASE, tag).news[0]?.title, tag)
})

const mistakes: [what: string, text: string, line: number, rule: string][] = [
  ['no front matter', 'Hello', 1, 'front-matter'],
  ['front matter that does not end', '---\ntitle: A\ndate: 2026-01-01\n', 1, 'front-matter'],
  ['no title', '---\ndate: 2026-01-01\n---\n', 2, 'required'],
  ['a day that does not exist', '---\ntitle: A\ndate: 2026-04-31\n---\n', 3, 'date'],
  ['a repeated key', '---\ntitle: A\ntitle: B\ndate: 2026-01-01\n---\n', 3, 'duplicate-key'],
  ['a javascript: URL', '---\ntitle: A\ndate: 2026-01-01\nurl: javascript:alert(1)\n---\n', 4, 'url'],
  ['an id with a slash', '---\ntitle: A\ndate: 2026-01-01\nid: a/b\n---\n', 4, 'id'],
  ['an image in the page', '---\ntitle: A\ndate: 2026-01-01\nimage: data:image/png;base64,AA\n---\n', 4, 'image'],
  ['a language that is none', '---\ntitle: A\ndate: 2026-01-01\nlang: english\n---\n', 4, 'lang'],
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

test('news in which git marks a conflict are refused, but not those that explain the marks', () => {
  const { problems } = parseNewsSource(
    'news/a.md',
    news('A', '2026-01-01', 'x\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main\n'),
  )
  assert.deepEqual(problems, [{ file: 'news/a.md', line: 6, rule: 'conflict', message: 'Git marks a conflict here' }])
  assert.ok(parseNewsSource('news/a.md', news('A', '2026-01-01', '<<<<<<< starts a conflict.')).value)
})

test('missing fields of the front matter are named', () => {
  const [problem] = parseNewsSource('news/a.md', '---\nid: a\n---\nText.\n').problems
  assert.equal(problem?.message, 'The file must have "title" and "date"')
})
