import { all, one } from '../../shared/client/dom.ts'
import { type Answer, formatMilliseconds, requestJson } from '../../shared/client/request.ts'
import { connectRequestExample } from '../../shared/client/request-example.ts'

interface PanelOptions<Body> {
  readonly path: () => string
  /** Shows a successful answer. The panel is marked busy until it is done. */
  readonly show: (answer: Answer<Body>) => void | Promise<void>
}

export interface Panel<Body> {
  readonly root: HTMLElement
  readonly firstReply: () => Body
  /** Sends the request and shows the answer. */
  refresh(): Promise<void>
  /** Shows an earlier answer again. */
  showAgain(path: string, answer: Answer<Body>): Promise<void>
}

/** A part of the page that sends one kind of request. A late answer never replaces a newer one. */
export function createPanel<Body>(name: string, { path, show }: PanelOptions<Body>): Panel<Body> {
  const root = one(`[data-panel="${name}"]`)
  const errorText = one('[data-problem]', root)
  const view = connectRequestExample(root)
  let latest = 0

  /** Runs one update. Errors are shown in the panel, unless a newer update has started. */
  async function update(work: (isLatest: () => boolean) => Promise<void>) {
    const mine = ++latest
    root.ariaBusy = 'true'
    try {
      await work(() => mine === latest)
    } catch (error) {
      if (mine === latest) errorText.textContent = (error as Error).message
    } finally {
      if (mine === latest) root.ariaBusy = null
    }
  }

  async function showAnswer(from: string, answer: Answer<Body>) {
    view.showRequest(from)
    view.showJson(`${answer.status} · ${formatMilliseconds(answer.ms)}`, answer.body)
    errorText.textContent = answer.ok ? '' : (answer.body.message ?? '')
    if (answer.ok) await show(answer)
  }

  return {
    root,
    firstReply: view.firstReply,
    showAgain: (from, answer) => update(() => showAnswer(from, answer)),
    refresh: () =>
      update(async (isLatest) => {
        const from = path()
        const answer = await requestJson<Body>(from)
        if (isLatest()) await showAnswer(from, answer)
      }),
  }
}

/** Makes the kind links change the panel and the address without loading the page. */
export function chooseKind(root: HTMLElement, onChange: () => void): () => string {
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

export function onSubmit(root: HTMLElement, work: () => void): void {
  one('form', root).addEventListener('submit', (event) => {
    event.preventDefault()
    work()
  })
}
