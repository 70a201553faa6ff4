import { all, one } from '../../shared/client/dom.ts'

export interface Choice {
  readonly image: string
  readonly filter: string
  readonly strength: string
}

/** The slider stays within the range; the text field takes anything, and the API validates it. */
export function connectForm(form: HTMLFormElement, onChange: (isTyping: boolean) => void) {
  const image = one<HTMLInputElement>('#image', form)
  const strength = one<HTMLInputElement>('#strength', form)
  const slider = one<HTMLInputElement>('[data-slider]', form)
  const samples = all('[data-sample]', form)

  const filter = () => one<HTMLInputElement>('[name=filter]:checked', form)

  function adaptToFilter(): void {
    const { min, max, step, default: defaultValue } = filter().dataset
    one('[data-strength]', form).hidden = min === undefined
    one('[data-summary]', form).textContent = filter().closest('label')?.title ?? ''
    if (min === undefined || max === undefined || step === undefined) return
    Object.assign(slider, { min, max, step })
    slider.value = strength.value || (defaultValue ?? min)
    one('[data-range]', form).textContent = `${min} to ${max}. Default: ${defaultValue}.`
  }

  function markSample(): void {
    for (const sample of samples) sample.ariaCurrent = sample.dataset.sample === image.value ? 'true' : null
  }

  slider.addEventListener('input', () => {
    strength.value = slider.value
    onChange(true)
  })
  strength.addEventListener('input', () => {
    slider.value = strength.value
    onChange(true)
  })
  image.addEventListener('input', () => {
    markSample()
    onChange(true)
  })
  for (const radio of all('[name=filter]', form)) {
    radio.addEventListener('change', () => {
      strength.value = filter().dataset.default ?? ''
      document.querySelector('[data-unknown]')?.remove()
      adaptToFilter()
      onChange(false)
    })
  }
  for (const sample of samples) {
    sample.addEventListener('click', (event) => {
      event.preventDefault()
      image.value = sample.dataset.sample ?? ''
      markSample()
      onChange(false)
    })
  }
  if (!strength.value) strength.value = filter().dataset.default ?? ''
  adaptToFilter()
  markSample()

  return {
    read: (): Choice => ({
      image: image.value.trim(),
      filter: filter().value,
      strength: filter().dataset.min === undefined ? '' : strength.value.trim(),
    }),
    setStrength(value: number) {
      strength.value = slider.value = String(value)
      onChange(false)
    },
  }
}
