import { shownJson } from '../shown-json.ts'
import { all, base, one } from './dom.ts'
import { paintJson } from './paint-json.ts'

/** The request and reply of a panel, as they happen. */
export function exchangeView(root: HTMLElement) {
  const urls = all('[data-url]', root)
  const status = one('[data-status]', root)
  const reply = one('[data-reply]', root)
  paintJson(reply)
  const showText = (line: string, text: string) => {
    status.textContent = line
    reply.textContent = text
  }
  return {
    showRequest(path: string) {
      for (const url of urls) url.textContent = `${base}/${path}`
    },
    showText,
    /** What the page came with. */
    firstReply: () => JSON.parse(reply.textContent ?? ''),
    showJson(line: string, body: unknown) {
      showText(line, shownJson(body))
      paintJson(reply)
    },
  }
}
