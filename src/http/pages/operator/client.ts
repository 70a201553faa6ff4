import { announce, one } from '../shared/client/dom.ts'
import { openBoard } from './client/board.ts'
import type { Contact } from './client/contact.ts'
import { onDate } from './client/format.ts'
import { forget, keptToken, looksLikeToken, type Session, SignedOut, signIn } from './client/session.ts'
import { isPrivateWay } from './transport.ts'

const TRY_AGAIN_MS = 5000

const signInPart = one('[data-sign-in]')
const screen = one('[data-screen]')
const whose = one('[data-whose]')
const form = one<HTMLFormElement>('[data-token-form]')
const field = one<HTMLInputElement>('[data-token]', form)
const trouble = one('[data-trouble]', form)
const submit = one<HTMLButtonElement>('button', form)

let contact: Contact | undefined
let again: number | undefined

function showForm(why: string): void {
  contact?.stop()
  contact = undefined
  screen.hidden = true
  whose.hidden = true
  signInPart.hidden = false
  trouble.textContent = why
  field.focus()
}

function showBoard(session: Session): void {
  const { label, scopes, expiresAt } = session.token
  const may = scopes.includes('write') ? 'looks and acts' : 'looks'
  const until = expiresAt === null ? '' : ` until ${onDate(expiresAt)}`
  one('[data-token-words]').textContent = `${label}: ${may}${until}`
  signInPart.hidden = true
  whose.hidden = false
  screen.hidden = false
  contact = openBoard(session, (why) => {
    forget()
    showForm(why)
  })
  one('#operator-title').focus()
  announce('Signed in')
}

async function enter(text: string): Promise<void> {
  clearTimeout(again)
  trouble.textContent = ''
  submit.disabled = true
  try {
    const session = await signIn(text)
    field.value = ''
    showBoard(session)
  } catch (error) {
    if (error instanceof SignedOut) forget()
    // The store may be away for a moment: a token that was good is tried again.
    else if (keptToken() === text) again = setTimeout(() => enter(text), TRY_AGAIN_MS)
    showForm((error as Error).message)
  } finally {
    submit.disabled = false
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  const text = field.value.trim()
  if (looksLikeToken(text)) void enter(text)
  else showForm('A token starts with mng_ and was shown once, when it was made. Paste it whole.')
})

one('[data-sign-out]').addEventListener('click', () => {
  forget()
  showForm('')
  announce('Signed out')
})

const isPrivate = isPrivateWay(location)
one('[data-plain]').hidden = isPrivate
form.hidden = !isPrivate
const kept = keptToken()
if (!isPrivate) forget()
else if (kept) void enter(kept)
