// A small strict XML parser for feeds: it throws on anything that is not well-formed.

export interface XmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: XmlElement[]
  text: string
}

const NAME = '[A-Za-z_][\\w.-]*(?::[A-Za-z_][\\w.-]*)?'
const TAG = new RegExp(`^<(/?)(${NAME})((?:\\s+${NAME}="[^"<]*")*)\\s*(/?)>`)
const ATTRIBUTE = new RegExp(`(${NAME})="([^"<]*)"`, 'g')
const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function decode(text: string): string {
  if (/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u.test(text))
    throw new Error('a forbidden character')
  if (text.includes(']]>')) throw new Error(']]> in text')
  return text.replace(/&([^;&]*);?/g, (whole, name: string) => {
    const character = named[name]
    if (!character || !whole.endsWith(';')) throw new Error(`an unknown entity ${whole}`)
    return character
  })
}

export function parseXml(source: string): XmlElement {
  let rest = source.replace(/^<\?xml version="1\.0" encoding="utf-8"\?>\s*/, '')
  if (rest === source) throw new Error('no XML declaration')
  const root: XmlElement = { name: '', attributes: {}, children: [], text: '' }
  const open = [root]
  while (rest !== '') {
    const parent = open.at(-1)!
    const text = /^[^<]*/.exec(rest)![0]
    parent.text += decode(text)
    rest = rest.slice(text.length)
    if (rest === '') break
    const tag = TAG.exec(rest)
    if (!tag) throw new Error(`not a tag: ${rest.slice(0, 60)}`)
    const [whole, closing, name = '', attributes = '', empty] = tag
    rest = rest.slice(whole.length)
    if (closing) {
      if (open.pop()?.name !== name) throw new Error(`</${name}> closes another element`)
      continue
    }
    const pairs = [...attributes.matchAll(ATTRIBUTE)].map(([, key = '', value = '']) => [key, decode(value)] as const)
    if (new Set(pairs.map(([key]) => key)).size !== pairs.length) throw new Error('an attribute twice')
    const element: XmlElement = { name, attributes: Object.fromEntries(pairs), children: [], text: '' }
    parent.children.push(element)
    if (!empty) open.push(element)
  }
  const [top, ...more] = root.children
  if (open.length !== 1 || !top || more.length > 0 || root.text.trim() !== '') throw new Error('not one root element')
  return top
}

export const findChildren = (element: XmlElement, name: string) =>
  element.children.filter((child) => child.name === name)

/** The only child with that name; throws otherwise. */
export function findOnlyChild(element: XmlElement, name: string): XmlElement {
  const [child, ...more] = findChildren(element, name)
  if (!child || more.length > 0) throw new Error(`<${element.name}> must have one <${name}>`)
  return child
}
