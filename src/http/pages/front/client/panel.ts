import { all, one } from '../../shared/client/dom.ts'
import { type JsonReply, requestJson } from '../../shared/client/request.ts'
import type { Code } from './code.ts'

interface PanelOptions<Body> {
  readonly path: () => string
  /** Shows a successful reply. The panel is marked busy until it is done. */
  readonly show: (reply: JsonReply<Body>) => void | Promise<void>
  /** True if a reply shows nothing new. The request is then repeated a few times. */
  readonly isRepeated?: (reply: JsonReply<Body>) => boolean
}

/** Soon after the start, the service has few rendered drawings. It renders another one in about the first interval. */
const FIRST_REPEAT_MS = 200
/** Each interval is twice the last one: a busy service gets 25 s to render another drawing. */
const MAX_REPEATS = 7

export interface Panel<Body> {
  readonly root: HTMLElement
  /** Sends the request and shows the reply. */
  refresh(): Promise<void>
  /** Shows an earlier reply again. */
  showAgain(path: string, reply: JsonReply<Body>): Promise<void>
}

/** A panel is a part of the page that sends one kind of request. A late reply never replaces a newer one. */
export const createPanels =
  (code: Code, checkConnection: () => void) =>
  <Body>(name: string, { path, show, isRepeated }: PanelOptions<Body>): Panel<Body> => {
    const root = one(`[data-panel="${name}"]`)
    const errorText = one('[data-problem]', root)
    let latest = 0

    /** Runs one update. Errors are shown in the panel, unless a newer update has started. */
    async function update(work: (isLatest: () => boolean) => Promise<void>) {
      const mine = ++latest
      root.ariaBusy = 'true'
      try {
        await work(() => mine === latest)
      } catch (error) {
        if (mine === latest) errorText.textContent = (error as Error).message
        checkConnection()
      } finally {
        if (mine === latest) root.ariaBusy = null
      }
    }

    async function showReply(from: string, reply: JsonReply<Body>) {
      code.show(name, from, reply)
      errorText.textContent = reply.ok ? '' : (reply.body.message ?? '')
      if (reply.ok) await show(reply)
    }

    const panel = {
      root,
      showAgain: (from: string, reply: JsonReply<Body>) => update(() => showReply(from, reply)),
      refresh: () =>
        update(async (isLatest) => {
          const from = path()
          let reply = await requestJson<Body>(from)
          for (let repeats = 0; isRepeated?.(reply) && isLatest() && repeats < MAX_REPEATS; repeats++) {
            await new Promise((done) => setTimeout(done, FIRST_REPEAT_MS * 2 ** repeats))
            reply = await requestJson<Body>(from)
          }
          if (isLatest()) await showReply(from, reply)
        }),
    }
    code.onChoose(name, panel.refresh)
    return panel
  }

/** Makes the kind links change the panel and the address without loading the page. */
export function connectKindLinks(root: HTMLElement, onChange: () => void): () => string {
  const list = one('[data-kinds]', root)
  const field = one<HTMLInputElement>('[data-chosen]', root)
  list.addEventListener('click', (event) => {
    const link = (event.target as HTMLElement).closest<HTMLAnchorElement>('a')
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    for (const other of all('a', list)) other.ariaCurrent = other === link ? 'true' : null
    field.value = link.dataset.kind ?? ''
    const address = new URL(location.href)
    address.searchParams.set(list.dataset.kinds ?? '', field.value)
    history.replaceState(null, '', address)
    onChange()
  })
  return () => field.value
}
