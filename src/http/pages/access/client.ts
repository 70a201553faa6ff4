import { element, one, onSubmit } from '../shared/client/dom.ts'
import { requestJson } from '../shared/client/request.ts'

const FIELDS = ['name', 'contact', 'reason'] as const
type Field = (typeof FIELDS)[number]

const form = one<HTMLFormElement>('[data-key-request]')
const button = one<HTMLButtonElement>('button', form)
const problem = one('[data-problem]', form)

const input = (field: Field) => one<HTMLInputElement>(`#${field}`, form)
const isField = (name: string | undefined): name is Field => FIELDS.some((field) => field === name)

function mark(field: Field, message: string): void {
  one(`[data-error="${field}"]`, form).textContent = message
  input(field).ariaInvalid = message ? 'true' : null
}

/** Marks all fields that are too short; the service checks the rest. */
function findShortFields(): Field[] {
  const short = FIELDS.filter((field) => [...input(field).value.trim()].length < Number(input(field).dataset.min))
  for (const field of FIELDS)
    mark(field, short.includes(field) ? `At least ${input(field).dataset.min} characters.` : '')
  return short
}

async function send(): Promise<void> {
  problem.textContent = ''
  const [first] = findShortFields()
  if (first) return input(first).focus()
  const request = Object.fromEntries(FIELDS.map((field) => [field, input(field).value]))
  button.disabled = true
  try {
    const { ok, body } = await requestJson<{ id: string }>(form.getAttribute('action') ?? '', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
    })
    if (ok) showConfirmation(body.id, request.contact ?? '')
    else showError(body.field, body.message ?? '')
  } catch (error) {
    problem.textContent = (error as Error).message
  } finally {
    button.disabled = false
  }
}

function showError(field: string | undefined, message: string): void {
  if (!isField(field)) {
    problem.textContent = message
    return
  }
  mark(field, message)
  input(field).focus()
}

function showConfirmation(id: string, contact: string): void {
  const title = one('#key-request-title')
  title.textContent = 'Request sent'
  form.replaceWith(
    element(
      'div',
      { className: 'asked' },
      element('p', {}, 'The operator will reply to ', element('bdi', {}, contact), '.'),
      element('p', {}, 'Request number: ', element('code', {}, id)),
    ),
  )
  title.focus()
}

onSubmit(form, send)
