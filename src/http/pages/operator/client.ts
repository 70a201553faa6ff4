import { announce, one, onSubmit } from '../shared/client/dom.ts'
import { openDashboard } from './client/dashboard.ts'
import { formatDateTime } from './client/format.ts'
import type { Polling } from './client/polling.ts'
import { createSections } from './client/sections.ts'
import {
  forgetToken,
  looksLikeToken,
  readStoredToken,
  redeemLink,
  SignedOut,
  signIn,
  signOut,
} from './client/session.ts'
import type { Token } from './client/types.ts'
import { isSafeForToken } from './transport.ts'

const RETRY_INTERVAL_MS = 5000

const signInPart = one('[data-sign-in]')
const whose = one('[data-whose]')
const form = one<HTMLFormElement>('[data-token-form]')
const field = one<HTMLInputElement>('[data-token]', form)
const problem = one('[data-problem]', form)
const submit = one<HTMLButtonElement>('button', form)

let polling: Polling | undefined
let retryTimer: number | undefined

/** The service no longer accepts the token. */
function signedOut(message: string): void {
  forgetToken()
  showForm(sections.isDirty() ? `${message} What you typed is kept until you close the tab.` : message)
}

const sections = createSections(signedOut)

function showForm(message: string): void {
  polling?.stop()
  polling = undefined
  sections.hide()
  whose.hidden = true
  signInPart.hidden = false
  problem.textContent = message
  field.focus()
}

function showDashboard(token: Token): void {
  const { label, scopes, expiresAt } = token
  const access = scopes.length > 1 ? new Intl.ListFormat('en').format(scopes) : 'read-only'
  const until = expiresAt === null ? '' : ` until ${formatDateTime(expiresAt)}`
  one('[data-token-words]').textContent = `Signed in as ${label} (${access})${until}`
  signInPart.hidden = true
  whose.hidden = false
  sections.open(scopes)
  polling = openDashboard(token, signedOut)
  one('#operator-title').focus()
  announce('Signed in')
}

async function tryToken(text: string): Promise<void> {
  clearTimeout(retryTimer)
  problem.textContent = ''
  submit.disabled = true
  try {
    const token = await signIn(text)
    field.value = ''
    showDashboard(token)
  } catch (error) {
    if (error instanceof SignedOut) forgetToken()
    // The store may be unavailable for a moment: a token that was valid is retried.
    else if (readStoredToken() === text) retryTimer = setTimeout(() => tryToken(text), RETRY_INTERVAL_MS)
    showForm((error as Error).message)
  } finally {
    submit.disabled = false
  }
}

onSubmit(form, () => {
  const text = field.value.trim()
  if (looksLikeToken(text)) void tryToken(text)
  else showForm('A token starts with mng_ and was shown once, when it was created. Paste all of it.')
})

one('[data-sign-out]').addEventListener('click', async () => {
  if (!(await sections.close())) return
  const revoked = signOut()
  showForm('')
  await revoked
  announce('Signed out')
})

/** Removes the secret of a sign-in link from the URL and the history of the browser, and returns it. */
function takeLink(): string | undefined {
  const [, link] = /^#sign-in=(.+)$/.exec(location.hash) ?? []
  if (link) history.replaceState(null, '', location.pathname + location.search)
  return link
}

async function tryLink(link: string): Promise<void> {
  try {
    await tryToken(await redeemLink(link))
  } catch (error) {
    showForm((error as Error).message)
  }
}

// The tab may already show the page when a sign-in link is opened in it.
window.addEventListener('hashchange', () => {
  const link = takeLink()
  if (link && isSafe && !polling) void tryLink(link)
})

const isSafe = isSafeForToken(location)
one('[data-plain]').hidden = isSafe
form.hidden = !isSafe
const link = takeLink()
const stored = readStoredToken()
if (!isSafe) forgetToken()
else if (link) void tryLink(link)
else if (stored) void tryToken(stored)
