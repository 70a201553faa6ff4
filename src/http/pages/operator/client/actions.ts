import { copy } from '../../shared/client/copy.ts'
import { announce, one } from '../../shared/client/dom.ts'
import { call } from './session.ts'

export interface ActionContext {
  readonly mayWrite: boolean
  /** Loads the changed state. */
  readonly refresh: () => Promise<void>
}

interface Action<Body> {
  readonly part: HTMLElement
  readonly button: HTMLButtonElement
  readonly path: string
  readonly method?: 'POST' | 'DELETE'
  readonly body?: object
  readonly done: string
  readonly after?: (body: Body) => void | Promise<void>
}

/** Sends one change. Errors are shown in its part of the page. */
export async function runAction<Body>(
  context: ActionContext,
  { part, button, path, ...more }: Action<Body>,
): Promise<unknown> {
  const problem = one('[data-problem]', part)
  problem.textContent = ''
  button.disabled = true
  try {
    const reply = await call<Body>(path, more.method ?? 'POST', more.body)
    announce(more.done)
    await more.after?.(reply)
    return undefined
  } catch (error) {
    problem.textContent = (error as Error).message
    return error
  } finally {
    button.disabled = false
    await context.refresh()
    // The button may have been removed with its row.
    if (document.activeElement === document.body) part.querySelector<HTMLElement>('h2')?.focus()
  }
}

interface Question {
  readonly title: string
  readonly text: string
  readonly yes: string
}

/** Asks for a confirmation of a change that is hard to undo. */
export function confirm({ title, text, yes }: Question): Promise<boolean> {
  const dialog = one<HTMLDialogElement>('[data-confirm]')
  one('[data-title]', dialog).textContent = title
  one('[data-text]', dialog).textContent = text
  const agree = one<HTMLButtonElement>('[data-yes]', dialog)
  agree.textContent = yes
  return new Promise((resolve) => {
    agree.onclick = () => dialog.close('yes')
    one<HTMLButtonElement>('[data-no]', dialog).onclick = () => dialog.close('')
    dialog.onclose = () => resolve(dialog.returnValue === 'yes')
    dialog.returnValue = ''
    dialog.showModal()
  })
}

/** Shows a new key until the operator confirms that it was copied. Then it is removed from the page. */
export function showKey(key: string, { name, contact }: { name: string; contact: string }): Promise<void> {
  const dialog = one<HTMLDialogElement>('[data-key]')
  const secret = one('[data-secret]', dialog)
  one('[data-title]', dialog).textContent = `Key of ${name}`
  one('[data-contact]', dialog).textContent = contact
  secret.textContent = key
  return new Promise((resolve) => {
    const copier = one<HTMLButtonElement>('[data-copy]', dialog)
    copier.onclick = () => copy(key, copier, 'the key')
    one<HTMLButtonElement>('[data-done]', dialog).onclick = () => dialog.close('done')
    dialog.onclose = () => {
      // Some browsers ignore `closedby`: Escape or a back gesture must not close the dialog, because the key is shown once.
      if (dialog.returnValue !== 'done') return dialog.showModal()
      secret.textContent = ''
      resolve()
    }
    dialog.returnValue = ''
    dialog.showModal()
  })
}
