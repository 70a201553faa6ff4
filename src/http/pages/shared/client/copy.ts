import { announce, element } from './dom.ts'

const CONFIRMATION_MS = 1600

async function write(text: string, button: HTMLElement): Promise<boolean> {
  if (navigator.clipboard) {
    try {
      await navigator.clipboard.writeText(text)
      return true
    } catch {}
  }
  return writeFromField(text, button.closest('dialog') ?? document.body)
}

/** Without TLS, browsers offer the clipboard API on loopback only. Outside an open dialog nothing can be selected. */
function writeFromField(text: string, parent: HTMLElement): boolean {
  const field = element('textarea', { value: text, className: 'visually-hidden' })
  const focused = document.activeElement as HTMLElement | null
  parent.append(field)
  field.select()
  const done = document.execCommand('copy')
  field.remove()
  focused?.focus()
  return done
}

const timers = new WeakMap<HTMLElement, number>()

/** Copies and confirms on the button. `named` replaces a secret in the announcement. */
export async function copy(text: string, button: HTMLElement, named = text): Promise<void> {
  const done = await write(text, button)
  announce(done ? `Copied ${named.length > 80 ? '' : named}` : 'The browser did not allow copying.')
  button.dataset.copied = done ? 'Copied' : 'Not copied'
  clearTimeout(timers.get(button))
  timers.set(
    button,
    setTimeout(() => delete button.dataset.copied, CONFIRMATION_MS),
  )
}
