// One form for all changes: it asks the service what would change, shows it, and makes the change after a confirmation.
import { element } from '../../../shared/client/dom.ts'
import { confirm } from '../actions.ts'
import type { FieldDefinition } from './fields.ts'
import { createFormView } from './form-view.ts'

export type Values = Readonly<Record<string, unknown>>

export interface ChangeRequest {
  readonly method: 'PUT' | 'POST' | 'DELETE'
  readonly path: string
  readonly body?: Values
}

type Changes = ChangeRequest | readonly ChangeRequest[]

export interface FormDefinition {
  readonly title: string
  /** The button that makes the change. */
  readonly action: string
  readonly about?: string
  readonly fields?: readonly FieldDefinition[]
  /** The entry that is changed: its path, and its name in the reply. */
  readonly entry?: readonly [path: string, name: string]
  /** The values of the fields for the entry. */
  fill?(entry: Values): Values
  /** The form creates the entry, so it must not exist yet. */
  readonly creates?: boolean
  change(values: Values, entry: Values): Changes | Promise<Changes>
  /** Only the first request can be checked, because the others depend on it. */
  readonly checksFirst?: boolean
  /** Describes the reply to the check, in sentences. */
  describe?(results: readonly Values[]): readonly string[]
}

export interface FormHooks {
  /** `ids` of the changes in the history. */
  done(definition: FormDefinition, ids: readonly number[]): void
  cancel(): void
  signedOut(why: string): void
}

export const confirmDiscard = () =>
  confirm({ title: 'Discard what you typed?', text: 'It is not published.', yes: 'Discard' })

export function createForm(hooks: FormHooks) {
  const root = element('div', { className: 'editor', hidden: true })
  let isDirty = false

  function close(): void {
    isDirty = false
    root.hidden = true
    root.replaceChildren()
  }

  const mayDiscard = async () => !isDirty || confirmDiscard()

  async function open(definition: FormDefinition): Promise<void> {
    if (!(await mayDiscard())) return
    isDirty = false
    const view = createFormView(definition, {
      ...hooks,
      async cancel() {
        if (!(await mayDiscard())) return
        close()
        hooks.cancel()
      },
      done(made, ids) {
        close()
        hooks.done(made, ids)
      },
    })
    view.form.addEventListener('input', () => {
      isDirty = true
    })
    root.replaceChildren(view.node)
    root.hidden = false
    view.heading.focus()
    await view.start()
  }

  return { root, open, close, isDirty: () => isDirty }
}
