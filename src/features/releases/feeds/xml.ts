// A character that XML 1.0 cannot hold, in any spelling, and half a surrogate pair.
const UNSPEAKABLE =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g
const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }

/** Safe as text of an element and as value of an attribute. */
const escapeXml = (text: string) =>
  text.replace(UNSPEAKABLE, '\ufffd').replace(/[&<>"']/g, (character) => escapes[character] ?? character)

export const element = (name: string, text: string, attributes: Record<string, string> = {}) =>
  `<${open(name, attributes)}>${escapeXml(text)}</${name}>`

export const emptyElement = (name: string, attributes: Record<string, string>) => `<${open(name, attributes)}/>`

const open = (name: string, attributes: Record<string, string>) =>
  [name, ...Object.entries(attributes).map(([key, value]) => `${key}="${escapeXml(value)}"`)].join(' ')
