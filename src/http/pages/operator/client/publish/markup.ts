// Builds nodes from the safe HTML of the service. The policy of the page forbids parsing HTML, and only these elements
// and attributes can result from it.
import { element } from '../../../shared/client/dom.ts'

const TAGS = ['p', 'br', 'hr', 'blockquote', 'pre', 'code', 'strong', 'em', 'b', 'i', 'del', 'sub', 'sup', 'kbd', 'a']
const MORE_TAGS = ['ul', 'ol', 'li', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'details', 'summary']
const allowed = new Set([...TAGS, ...MORE_TAGS])
const empty = new Set(['br', 'hr', 'img'])

const TOKEN = /<(\/?)([a-z][a-z0-9]*)((?:\s+[a-z]+="[^"]*")*)\s*\/?>|([^<]+)/g
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&' }

const decode = (text: string) => text.replace(/&(lt|gt|quot|amp);/g, (_, name: string) => ENTITIES[name] ?? '')

function create(tag: string, attributes: ReadonlyMap<string, string>): HTMLElement {
  if (tag === 'img') return createImage(attributes.get('src') ?? '', attributes.get('alt') ?? '')
  // Headings of the text are not headings of the page.
  if (/^h[1-6]$/.test(tag)) return element('p', { className: `heading ${tag}` })
  const made = document.createElement(allowed.has(tag) ? tag : 'span')
  const href = attributes.get('href')
  if (made instanceof HTMLAnchorElement && href && /^(?:https?:|mailto:)/i.test(href))
    Object.assign(made, { href, target: '_blank', rel: 'noopener noreferrer' })
  return made
}

/** The page shows only pictures of the service: another server would learn who reads the text. */
export const createImage = (src: string, alt: string) =>
  /^\/(?!\/)/.test(src)
    ? element('img', { src: `.${src}`, alt })
    : element('span', { className: 'aside' }, `[Picture: ${alt || src}]`)

export function buildMarkup(html: string): DocumentFragment {
  const root = document.createDocumentFragment()
  const open: { readonly tag: string; readonly node: ParentNode }[] = []
  const parent = () => open.at(-1)?.node ?? root
  for (const [, close, tag = '', attributes = '', text] of html.matchAll(TOKEN)) {
    if (text !== undefined) parent().append(decode(text))
    else if (close) {
      if (open.at(-1)?.tag === tag) open.pop()
    } else {
      const pairs = [...attributes.matchAll(/([a-z]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [
        name,
        decode(value),
      ])
      const node = create(tag, new Map(pairs as [string, string][]))
      parent().append(node)
      if (!empty.has(tag)) open.push({ tag, node })
    }
  }
  return root
}
