import { all, one } from '../../shared/client/dom.ts'
import { type Choice, type OptionName, optionNames } from '../choice.ts'
import { connectSteps } from './steps.ts'

/** The field that the user typed in or dragged. Undefined for other changes, which come one at a time. */
export type ChangeSource = EventTarget | undefined

export function connectForm(form: HTMLFormElement, onChange: (source: ChangeSource) => void) {
  const image = one<HTMLInputElement>('#image', form)
  const samples = all('[data-sample]', form)
  const steps = connectSteps(one('[data-chain]', form), () => change(undefined))
  const optionField = (name: OptionName) => one<HTMLInputElement | HTMLSelectElement>(`#${name}`, form)

  function change(source: ChangeSource): void {
    document.querySelector('[data-url-problem]')?.remove()
    markSample()
    onChange(source)
  }

  function markSample(): void {
    for (const sample of samples) sample.ariaCurrent = sample.dataset.sample === image.value ? 'true' : null
  }

  form.addEventListener('input', ({ target }) => {
    if ((target as HTMLElement).matches('[type=file]')) return
    change((target as HTMLElement).matches('select, [type=radio]') ? undefined : (target ?? undefined))
  })
  for (const sample of samples) {
    sample.addEventListener('click', (event) => {
      event.preventDefault()
      image.value = sample.dataset.sample ?? ''
      change(undefined)
    })
  }
  markSample()

  return {
    read: (): Choice => ({
      image: image.value.trim(),
      steps: steps.read(),
      options: Object.fromEntries(optionNames.map((name) => [name, optionField(name).value.trim()])),
    }),
    write(choice: Choice) {
      image.value = choice.image
      steps.write(choice.steps)
      for (const name of optionNames) optionField(name).value = choice.options[name] ?? ''
      markSample()
    },
    /** Removes the URL, because a file of the device has none. */
    clearImage() {
      image.value = ''
      markSample()
    },
    /** Disables options that need the service, while a file of the device is filtered. */
    setLocal(isLocal: boolean) {
      for (const name of ['fit', 'maxBytes', 'fallback'] as const) optionField(name).disabled = isLocal
      one('[data-local-options]', form).hidden = !isLocal
    },
    findStrengthFix: steps.findFix,
    /** Marks the field of a parameter that the API rejected. */
    markInvalid(parameter: string | undefined) {
      for (const name of optionNames) optionField(name).ariaInvalid = String(name === parameter)
    },
  }
}
