import { copy } from './copy.ts'
import { all, one } from './dom.ts'

const KEPT = 'language'

/** One choice of language for all examples, kept for the next visit. */
export function joinLanguages(): void {
  const buttons = all<HTMLInputElement>('.languages input')
  const choose = (language: string) => {
    for (const button of buttons) button.checked = button.value === language
  }
  const kept = localStorage.getItem(KEPT)
  if (kept && buttons.some(({ value }) => value === kept)) choose(kept)
  for (const button of buttons) {
    button.addEventListener('change', () => {
      choose(button.value)
      localStorage.setItem(KEPT, button.value)
    })
  }
}

export function copyCode(): void {
  for (const button of all('[data-copy-code]')) {
    button.addEventListener('click', () => {
      const exchange = button.closest<HTMLElement>('.exchange')!
      const language = one<HTMLInputElement>('.languages :checked', exchange).value
      copy(one(`[data-language="${language}"]`, exchange).textContent ?? '', button)
    })
  }
}
