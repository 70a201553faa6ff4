import { announce, createButton, element, onSubmit } from '../../../shared/client/dom.ts'
import { Refused, request, SignedOut, Unavailable } from '../session.ts'
import { renderDiff } from './diff.ts'
import { createField, type Field } from './fields.ts'
import type { ChangeRequest, FormDefinition, FormHooks, Values } from './form.ts'

/** Large files and many pictures are checked by the service before it replies. */
const TIMEOUT_MS = 300_000

interface ChangeReply {
  readonly changed: boolean
  readonly diff: string
  readonly history: number | null
  readonly result: Values
}

const CONFLICT =
  'Somebody changed this since you opened it. Nothing was overwritten, and what you typed is kept. ' +
  'Reload to compare it with the current state.'
const CHANGED = 'Somebody changed the same file since the check. Nothing was overwritten. Check again.'
const TAKEN = 'There is one already, and it was not overwritten. Change it in the list instead.'

const withoutNothing = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))

export function createFormView(definition: FormDefinition, hooks: FormHooks) {
  const { title, action, about, fields: definitions = [], entry: place } = definition
  const fields = definitions.map(createField)
  const heading = element('h3', { tabIndex: -1 }, title)
  const problem = element('p', { className: 'problem', role: 'alert' })
  const progress = element('p', { className: 'aside', role: 'status' })
  const reload = createButton('second', () => void run(reloadAndCheck), 'Reload')
  const check = element('button', { type: 'submit', className: 'press quiet' }, 'Check')
  const buttons = element('div', { className: 'buttons' }, check, createButton('second', hooks.cancel, 'Close'), reload)
  const review = element('div', { className: 'review', hidden: true })
  const body = element('div', { className: 'fields' }, ...groupFields(fields))
  const form = element('form', { noValidate: true, autocomplete: 'off' }, body, problem, progress, buttons)
  const intro = about ? [element('p', { className: 'aside' }, about)] : []
  const node = element('section', { ariaLabel: title }, heading, ...intro, form, review)

  let entry: Values = {}
  let etag: string | null = null
  let isLoaded = place === undefined
  /** A form without fields has nothing to ask: it checks by itself. */
  const hasFields = fields.length > 0

  /** The condition of the request: it must not overwrite changes of other operators. */
  const condition = (version: string | null): Record<string, string> =>
    version === null ? { 'if-none-match': '*' } : { 'if-match': version }

  async function load(): Promise<void> {
    if (!place) return
    const [path, name] = place
    try {
      const reply = await request<Readonly<Record<string, Values>>>(path)
      entry = reply.body[name] ?? {}
      etag = reply.etag
    } catch (error) {
      if (!(error instanceof Refused && error.failure.code === 'UNKNOWN_ENTRY')) throw error
      entry = {}
      etag = null
    }
  }

  async function fill(): Promise<void> {
    await load()
    isLoaded = true
    const values = definition.fill?.(entry) ?? {}
    for (const { definition, write } of fields) if (definition.name in values) write(values[definition.name])
    body.hidden = false
    check.hidden = !hasFields
  }

  async function send(
    { method, path, body: payload }: ChangeRequest,
    dryRun: boolean,
    headers: Record<string, string>,
  ) {
    const options = { method, payload: payload && withoutNothing(payload), headers, timeoutMs: TIMEOUT_MS }
    return request<ChangeReply>(`${path}${dryRun ? '?dryRun=true' : ''}`, options)
  }

  async function checkChange(): Promise<void> {
    const values: Record<string, unknown> = {}
    for (const { definition, read } of fields) {
      values[definition.name] = await read((text) => {
        progress.textContent = text
      })
    }
    progress.textContent = 'Checking …'
    const requests = [await definition.change(values, entry)].flat()
    const checked: { readonly reply: ChangeReply; readonly etag: string | null }[] = []
    for (const change of definition.checksFirst ? requests.slice(0, 1) : requests) {
      const { body, etag: found } = await send(change, true, place || definition.creates ? condition(etag) : {})
      checked.push({ reply: body, etag: found })
    }
    const replies = checked.map(({ reply }) => reply)
    showReview(replies, async () => {
      const ids: number[] = []
      /** By path: the later of several changes of one entry finds what the earlier one has written. */
      const written = new Map<string, string | null>()
      for (const [n, change] of requests.entries()) {
        progress.textContent = requests.length > 1 ? `Change ${n + 1} of ${requests.length}` : 'Publishing …'
        const found = checked[n]
        const version = written.get(change.path) ?? found?.etag ?? null
        const sent = send(change, false, found?.reply.changed ? condition(version) : {})
        const { body, etag: after } = await sent.catch((error: Error) => {
          if (ids.length === 0) throw error
          throw new Error(
            `${error.message} The history lists the ${ids.length} of ${requests.length} changes that were made.`,
          )
        })
        if (body.changed) written.set(change.path, after)
        const { parts = [body.history] } = body.result as { parts?: (number | null)[] }
        ids.push(...parts.filter((id) => id !== null))
      }
      hooks.done(definition, ids)
    })
  }

  function showReview(replies: readonly ChangeReply[], apply: () => Promise<void>): void {
    const diff = replies.flatMap((reply) => reply.diff || []).join('\n')
    const words = definition.describe?.(replies.map(({ result }) => result)) ?? []
    const found = element('h4', { tabIndex: -1 }, diff ? 'This will change' : 'Nothing would change')
    const agree = createButton('press quiet', () => void run(apply), action)
    const back = createButton('second', hideReview, 'Not yet')
    review.replaceChildren(
      found,
      ...words.map((text) => element('p', {}, text)),
      ...(diff ? [renderDiff(diff, 'Lines that change'), element('div', { className: 'buttons' }, agree, back)] : []),
    )
    review.hidden = false
    found.focus()
  }

  function hideReview(): void {
    review.hidden = true
    review.replaceChildren()
  }

  async function reloadAndCheck(): Promise<void> {
    const wasLoaded = isLoaded
    await (wasLoaded ? load() : fill())
    if (wasLoaded || !hasFields) await checkChange()
  }

  /** Runs one step. What was typed stays, whatever happens. */
  async function run(step: () => Promise<void>): Promise<void> {
    const all = [...node.querySelectorAll('button')]
    for (const each of all) each.disabled = true
    for (const field of fields) field.mark('')
    problem.textContent = ''
    reload.hidden = true
    try {
      await step()
    } catch (error) {
      explain(error as Error)
    } finally {
      progress.textContent = ''
      for (const each of all) each.disabled = false
    }
  }

  function explain(error: Error): void {
    hideReview()
    const { failure = {} } = error as Partial<Refused>
    const field = fields.find(({ definition }) => definition.name === failure.field?.split('.')[0])
    const isConflict = failure.code === 'PRECONDITION_FAILED'
    reload.hidden = isLoaded && hasFields && !(isConflict && place)
    if (isConflict) problem.textContent = place ? CONFLICT : definition.creates ? TAKEN : CHANGED
    else if (error instanceof SignedOut) hooks.signedOut(error.message)
    else if (error instanceof Unavailable) problem.textContent = `${error.message} What you typed is kept.`
    else if (field) field.mark(error.message)
    else problem.textContent = error.message
  }

  reload.hidden = true
  body.hidden = !isLoaded
  check.hidden = !isLoaded || !hasFields
  form.addEventListener('input', hideReview)
  onSubmit(form, () => run(checkChange))

  return {
    node,
    form,
    heading,
    async start(): Promise<void> {
      if (place) await run(fill)
      if (isLoaded && !hasFields) await run(checkChange)
      else if (isLoaded) announce(title)
    },
  }
}

function groupFields(fields: readonly Field[]): HTMLElement[] {
  const groups = new Map<string, HTMLElement>()
  return fields.flatMap(({ definition: { group }, node }) => {
    if (!group) return node
    const known = groups.get(group)
    if (known) return known.append(node) ?? []
    const made = element('details', { className: 'group' }, element('summary', {}, group), node)
    groups.set(group, made)
    return made
  })
}
