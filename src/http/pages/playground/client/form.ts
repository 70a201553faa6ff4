import { all, one } from '../../shared/client/dom.ts'
import { type Choice, type OptionName, optionNames } from '../choice.ts'
import { connectSteps } from './steps.ts'

export function connectForm(form: HTMLFormElement, onChange: (isTyping: boolean) => void) {
  const image = one<HTMLInputElement>('#image', form)
  const samples = all('[data-sample]', form)
  const steps = connectSteps(one('[data-chain]', form), () => change(false))
  const optionField = (name: OptionName) => one<HTMLInputElement | HTMLSelectElement>(`#${name}`, form)

  function change(isTyping: boolean): void {
    document.querySelector('[data-url-problem]')?.remove()
    onChange(isTyping)
  }

  function markSample(): void {
    for (const sample of samples) sample.ariaCurrent = sample.dataset.sample === image.value ? 'true' : null
  }

  form.addEventListener('input', ({ target }) => {
    markSample()
    change(!(target instanceof HTMLSelectElement))
  })
  for (const sample of samples) {
    sample.addEventListener('click', (event) => {
      event.preventDefault()
      image.value = sample.dataset.sample ?? ''
      markSample()
      change(false)
    })
  }
  markSample()

  return {
    read: (): Choice => ({
      image: image.value.trim(),
      steps: steps.read(),
      options: Object.fromEntries(optionNames.map((name) => [name, optionField(name).value.trim()])),
    }),
    findStrengthFix: steps.findFix,
    /** Marks the field of a parameter that the API rejected. */
    markInvalid(parameter: string | undefined) {
      for (const name of optionNames) optionField(name).ariaInvalid = String(name === parameter)
    },
  }
}
