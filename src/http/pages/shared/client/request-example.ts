import { formatJson } from '../format-json.ts'
import { all, base, one } from './dom.ts'
import { highlightJson } from './highlight-json.ts'

/** Updates the request and reply that a panel shows. */
export function connectRequestExample(root: HTMLElement) {
  const urls = all('[data-url]', root)
  const status = one('[data-status]', root)
  const reply = one('[data-reply]', root)
  highlightJson(reply)
  const showText = (line: string, text: string) => {
    status.textContent = line
    reply.textContent = text
  }
  return {
    showRequest(path: string) {
      for (const url of urls) url.textContent = `${base}/${path}`
    },
    showText,
    /** The reply that the server rendered. */
    firstReply: () => JSON.parse(reply.textContent ?? ''),
    showJson(line: string, body: unknown) {
      showText(line, formatJson(body))
      highlightJson(reply)
    },
  }
}
