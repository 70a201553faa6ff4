import { announce, one } from '../../shared/client/dom.ts'
import { call } from './session.ts'

/** What the parts of the page may do, and how they see that it is done. */
export interface Acting {
  readonly mayWrite: boolean
  /** The address that we come from. */
  readonly client: string
  /** Asks for what changed. */
  readonly refresh: () => Promise<void>
}

interface Act<Body> {
  readonly part: HTMLElement
  readonly button: HTMLButtonElement
  readonly path: string
  readonly method?: 'POST' | 'DELETE'
  readonly wish?: object
  readonly done: string
  readonly after?: (body: Body) => void | Promise<void>
}

/** Does one thing; what goes wrong is told in its part of the page. */
export async function act<Body>(acting: Acting, { part, button, path, ...more }: Act<Body>): Promise<unknown> {
  const trouble = one('[data-trouble]', part)
  trouble.textContent = ''
  button.disabled = true
  try {
    const body = await call<Body>(path, more.method ?? 'POST', more.wish)
    announce(more.done)
    await more.after?.(body)
    return undefined
  } catch (error) {
    trouble.textContent = (error as Error).message
    return error
  } finally {
    button.disabled = false
    await acting.refresh()
    // The button may be gone, with what was decided.
    if (document.activeElement === document.body) part.querySelector<HTMLElement>('h2')?.focus()
  }
}
