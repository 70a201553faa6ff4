import { type Answer, ask, inMilliseconds } from '../../shared/client/ask.ts'
import { one } from '../../shared/client/dom.ts'
import { exchangeView } from '../../shared/client/exchange-view.ts'

interface PanelOptions<Body> {
  readonly path: () => string
  /** Shows a good answer; the panel is busy until it is done. */
  readonly show: (answer: Answer<Body>) => void | Promise<void>
}

export interface Panel<Body> {
  readonly root: HTMLElement
  readonly firstReply: () => Body
  /** Asks the service and shows what it answers. */
  refresh(): Promise<void>
  /** Shows an answer that was there before. */
  recall(path: string, answer: Answer<Body>): Promise<void>
}

/** A part of the page with a request of its own; a late answer never overwrites a later one. */
export function createPanel<Body>(name: string, { path, show }: PanelOptions<Body>): Panel<Body> {
  const root = one(`[data-panel="${name}"]`)
  const trouble = one('[data-trouble]', root)
  const view = exchangeView(root)
  let turn = 0

  /** Does the work of one turn; what goes wrong in it is told where the panel tells it. */
  async function inTurn(work: (isLatest: () => boolean) => Promise<void>) {
    const mine = ++turn
    root.ariaBusy = 'true'
    try {
      await work(() => mine === turn)
    } catch (error) {
      if (mine === turn) trouble.textContent = (error as Error).message
    } finally {
      if (mine === turn) root.ariaBusy = null
    }
  }

  async function take(from: string, answer: Answer<Body>) {
    view.showRequest(from)
    view.showJson(`${answer.status} · ${inMilliseconds(answer.ms)}`, answer.body)
    trouble.textContent = answer.ok ? '' : (answer.body.message ?? '')
    if (answer.ok) await show(answer)
  }

  return {
    root,
    firstReply: view.firstReply,
    recall: (from, answer) => inTurn(() => take(from, answer)),
    refresh: () =>
      inTurn(async (isLatest) => {
        const from = path()
        const answer = await ask<Body>(from)
        if (isLatest()) await take(from, answer)
      }),
  }
}
