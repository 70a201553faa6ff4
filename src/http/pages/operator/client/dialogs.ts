import { copy } from '../../shared/client/copy.ts'
import { one } from '../../shared/client/dom.ts'

interface Question {
  readonly title: string
  readonly text: string
  readonly yes: string
}

/** Asks once before something that cannot simply be taken back. */
export function confirmed({ title, text, yes }: Question): Promise<boolean> {
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

/** The only time that a key is seen. It is taken out of the page when the dialog is closed. */
export function showKey(key: string, { name, contact }: { name: string; contact: string }): Promise<void> {
  const dialog = one<HTMLDialogElement>('[data-key]')
  const secret = one('[data-secret]', dialog)
  one('[data-title]', dialog).textContent = `The key of ${name}`
  one('[data-contact]', dialog).textContent = contact
  secret.textContent = key
  return new Promise((resolve) => {
    const copier = one<HTMLButtonElement>('[data-copy]', dialog)
    copier.onclick = () => copy(key, copier, 'the key')
    one<HTMLButtonElement>('[data-done]', dialog).onclick = () => dialog.close()
    dialog.onclose = () => {
      secret.textContent = ''
      resolve()
    }
    dialog.showModal()
  })
}
