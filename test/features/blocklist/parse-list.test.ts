import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { HostIndex } from '../../../src/features/blocklist/host-index.ts'
import { parseLine, parseList } from '../../../src/features/blocklist/parse-list.ts'
import { readList, readListSync } from '../../../src/features/blocklist/read-list.ts'

function read(text: string | Buffer) {
  const { index, entries, ignored } = parseList(Buffer.from(text))
  return { index: new HostIndex(index), entries, ignored }
}

const blocking: Record<string, string[]> = {
  'a plain domain': [
    'bad.example',
    '  bad.example\t',
    'bad.example.',
    'BAD.Example',
    'bad.example # why',
    'bad.example#why',
  ],
  'a hosts file': [
    '0.0.0.0 bad.example',
    '127.0.0.1\tbad.example',
    '0.0.0.0   other.example bad.example',
    ':: bad.example',
  ],
  'an odd hosts file': ['0 bad.example', '::1 bad.example', '127.0.0.53 bad.example', '0.0.0.0 BAD.example. # why'],
  Adblock: [
    '||bad.example^',
    '||bad.example^|',
    '||bad.example',
    '||*.bad.example^',
    '||BAD.example^',
    '||bad.example.^',
  ],
  'Adblock with options': ['||bad.example^$third-party', '||bad.example^$3p,important', '||bad.example^$all'],
  'Adblock with types': ['||bad.example^$image', '||bad.example^$script,image', '||bad.example^$document,popup'],
  dnsmasq: ['address=/bad.example/', 'address=/bad.example/0.0.0.0', 'address=/bad.example/#', 'server=/bad.example/'],
  'more dnsmasq': ['local=/bad.example/', 'address=/other.example/bad.example/::', 'address=/.bad.example/127.0.0.1'],
  wildcards: ['*.bad.example', '.bad.example', '*.BAD.example.'],
  'a top-level domain that is surely meant': ['||example^', '*.example', 'address=/example/'],
}

for (const [format, lines] of Object.entries(blocking)) {
  test(`${format} blocks the host and its subdomains`, () => {
    for (const line of lines) {
      for (const text of [line, `${line}\r\n`, `\uFEFF${line}\n`, `\n\n${line}\n${line}`]) {
        const { index, ignored } = read(text)
        assert.equal(index.has('bad.example'), true, line)
        assert.equal(index.has('a.b.bad.example'), true, line)
        assert.equal(index.has('bad.example.net'), false, line)
        assert.equal(index.has('xample'), false, line)
        assert.equal(ignored, 0, line)
      }
    }
  })
}

test('lines that name no host are counted and block nothing', () => {
  const lines = [
    'hello',
    'two words',
    '192.168.1.5 nas.example',
    'site.example##.banner',
    'site.example#@#.banner',
    'site.example#?#div',
    '||bad.example/path^',
    '||bad.example^path',
    '||bad.example:8080^',
    '||bad.*^',
    '||bad.example^$script',
    '||bad.example^$domain=site.example',
    '||bad.example^$~third-party',
    '||bad.example^$popup',
    '|https://bad.example/',
    'https://bad.example/',
    '/banner[0-9]/',
    '@@/banner/',
    'server=/bad.example/9.9.9.9',
    'address=/bad.example/192.0.2.1',
    '-bad.example',
    'bad-.example',
    'bad..example',
    'bad.example.1',
    `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(300)}example`,
    'bad.ex_ample',
    '<html>',
    '\u0001\u0002',
  ]
  for (const line of lines) assert.equal(parseLine(line), undefined, line)
  const { entries, ignored } = read(lines.join('\n'))
  assert.deepEqual({ entries, ignored }, { entries: 0, ignored: lines.length })
})

test('comments, headers and local names of hosts files are neither entries nor ignored lines', () => {
  const lines =
    '# a\n! b\n// c\n[Adblock Plus 2.0]\n\n   \n127.0.0.1 localhost localhost.localdomain\n::1 ip6-localhost\n'
  const { entries, ignored } = read(`${lines}255.255.255.255 broadcasthost\nfe80::1%lo0 localhost\n0.0.0.0 0.0.0.0\n`)
  assert.deepEqual({ entries, ignored }, { entries: 0, ignored: 0 })
})

test('an exception allows the host and its subdomains, whatever else is listed', () => {
  const { index, entries } = read('||bad.example^\n@@||good.bad.example^\n||very.good.bad.example^\n')
  assert.equal(index.has('bad.example'), true)
  assert.equal(index.has('x.bad.example'), true)
  assert.equal(index.has('good.bad.example'), false)
  assert.equal(index.has('very.good.bad.example'), false)
  assert.equal(entries, 2)
})

test('an exception cancels the same entry before or after it; an exception for pages cancels nothing', () => {
  for (const text of ['bad.example\n@@||bad.example^', '@@||bad.example^$third-party\nbad.example\nbad.example']) {
    const { index, entries } = read(text)
    assert.equal(index.has('bad.example'), false)
    assert.equal(entries, 0)
  }
  for (const option of ['document', 'elemhide', 'domain=a.example', 'script']) {
    assert.equal(read(`bad.example\n@@||bad.example^$${option}`).index.has('bad.example'), true, option)
  }
})

test('international names are compared in punycode', () => {
  const { index, entries } = read('münchen.example\n||BÜCHER.example^\n0.0.0.0 xn--mnchen-3ya.example 例え.テスト\n')
  for (const host of ['münchen.example', 'a.MÜNCHEN.example', 'xn--bcher-kva.example', 'xn--r8jz45g.xn--zckzah']) {
    assert.equal(index.has(host), true, host)
  }
  assert.equal(entries, 3)
})

test('an address blocks exactly that host', () => {
  const { index } = read('192.0.2.1\n0.0.0.0 192.0.2.2\n2001:DB8:0::1\n||[2001:db8::2]^\n')
  for (const host of ['192.0.2.1', '192.0.2.2', '2001:db8::1', '[2001:db8::1]', '2001:db8:0:0::2']) {
    assert.equal(index.has(host), true, host)
  }
  for (const host of ['192.0.2.3', '1.192.0.2.1', 'a.192.0.2.1', '2.1', '2001:db8::3', '0.0.0.0']) {
    assert.equal(index.has(host), false, host)
  }
})

test('a line of one megabyte is ignored', () => {
  const { index, entries, ignored } = read(`one.example\n${'a.'.repeat(500_000)}\ntwo.example`)
  assert.deepEqual({ entries, ignored }, { entries: 2, ignored: 1 })
  assert.equal(index.has('two.example'), true)
})

test('any bytes can be parsed', () => {
  const piece = fc.constantFrom(
    '||',
    '^',
    '$image',
    '@@',
    '/',
    'address=/',
    '*.',
    '0.0.0.0 ',
    '[',
    ']',
    '::',
    '#',
    '.co',
    '\n',
  )
  const text = fc.array(fc.oneof(piece, fc.string({ unit: 'binary' })), { maxLength: 30 })
  fc.assert(fc.property(text, (pieces) => assert.ok(read(pieces.join('')).entries >= 0)))
  fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => assert.ok(read(Buffer.from(bytes)).ignored >= 0)))
})

test('the fast path for common lines finds the same entries as parseLine', () => {
  const character = fc.constantFrom(...'aAbx1-_.é\t')
  const name = fc.array(character, { maxLength: 12 }).map((characters) => characters.join(''))
  const domain = fc.tuple(name, fc.constantFrom('.example', '.EXAMPLE', '.co', '.c', '.1', '', '.localdomain'))
  const shapes = ['*', '||*^', '||*^$image', '0.0.0.0 *', '127.0.0.1 *', '*.*', 'address=/*/', 'address=/*/0.0.0.0']
  const line = fc.tuple(fc.constantFrom(...shapes, 'server=/*/', 'local=/*/', '@@||*^', '0.0.0.0 localhost*'), domain)
  const text = line.map(([shape, parts]) => shape.replace(/\*(?!\.)/, () => parts.join('')))
  fc.assert(
    fc.property(fc.array(text, { maxLength: 20 }), (lines) => {
      const rules = lines.map((each) => parseLine(each))
      const found = rules.flatMap((each) => each ?? [])
      const allowed = new Set(found.filter(({ isAllowed }) => isAllowed).map(({ name }) => name))
      const blocked = new Set(found.map(({ name }) => name)).difference(allowed)
      const { index, entries, ignored } = read(lines.join('\n'))
      assert.equal(entries, blocked.size)
      assert.equal(ignored, rules.filter((each) => each === undefined).length)
      if (allowed.size === 0) for (const each of blocked) assert.equal(index.has(each), true, each)
    }),
    { numRuns: 500 },
  )
})

test('a list with too many entries or bytes is refused', async () => {
  const read = (text: string) => readListSync(Buffer.from(text), 2)
  assert.deepEqual(read('a.example\nb.example\nc.example\n'), { rejected: 'it has more than 2 entries' })
  assert.ok('list' in read('a.example\nb.example\nA.example\n# c.example\n'))
  const { signal } = new AbortController()
  assert.deepEqual(await readList(Buffer.alloc(64 * 2 ** 20 + 1), signal), {
    rejected: 'it is larger than 67108864 bytes',
  })
})
