import { copy } from './copy.ts'
import { all, one } from './dom.ts'
import { useStorage } from './storage.ts'

const STORAGE_KEY = 'language'

/** One language choice for all examples, stored for the next visit. */
export function connectLanguageChoice(): void {
  const buttons = all<HTMLInputElement>('.languages input')
  const choose = (language: string) => {
    for (const button of buttons) button.checked = button.value === language
  }
  const stored = useStorage('localStorage', (storage) => storage.getItem(STORAGE_KEY))
  if (stored && buttons.some(({ value }) => value === stored)) choose(stored)
  for (const button of buttons) {
    button.addEventListener('change', () => {
      choose(button.value)
      useStorage('localStorage', (storage) => storage.setItem(STORAGE_KEY, button.value))
    })
  }
}

export function connectCopyButtons(): void {
  for (const button of all('[data-copy-code]')) {
    button.addEventListener('click', () => {
      const example = button.closest<HTMLElement>('.example')!
      const language = one<HTMLInputElement>('.languages :checked', example).value
      copy(one(`[data-language="${language}"]`, example).textContent ?? '', button)
    })
  }
}
