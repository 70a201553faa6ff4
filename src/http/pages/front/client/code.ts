import { all, one } from '../../shared/client/dom.ts'
import { formatMilliseconds, type JsonReply } from '../../shared/client/request.ts'
import { connectRequestExample } from '../../shared/client/request-example.ts'

export type Code = ReturnType<typeof connectCode>

/** The code example of the page, which shows its last request. */
export function connectCode() {
  const root = one('[data-code]')
  const view = connectRequestExample(root)
  const links = all<HTMLAnchorElement>('[data-example]', root)
  return {
    firstReply: view.firstReply,
    show(name: string, path: string, { status, ms, body }: JsonReply<unknown>) {
      for (const link of links) {
        const isShown = link.dataset.example === name
        link.ariaCurrent = isShown ? 'true' : null
        if (isShown) link.href = path
      }
      view.showRequest(path)
      view.showJson(`${status} · ${formatMilliseconds(ms)}`, body)
    },
    /** Calls `send` when the example of this name is chosen. */
    onChoose(name: string, send: () => void) {
      const link = links.find(({ dataset }) => dataset.example === name)
      link?.addEventListener('click', (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return
        event.preventDefault()
        send()
      })
    },
  }
}
