import { all, announce, one } from '../../shared/client/dom.ts'
import type { StepChoice } from '../choice.ts'
import { buildScale, findPosition } from '../slider-scale.ts'

export interface StrengthFix {
  readonly filter: string
  readonly nearest: number
  readonly apply: () => void
}

/**
 * The list of filters: add, remove and reorder them, and set their strengths. One step is selected; the choices with
 * thumbnails show and change its filter.
 */
export function connectSteps(root: HTMLElement, onChange: () => void) {
  const list = one('[data-steps]', root)
  const addButton = one<HTMLButtonElement>('[data-add]', root)
  const template = one<HTMLTemplateElement>('[data-step-template]', root)
  const choices = one('[data-choices]', root)
  const radios = all<HTMLInputElement>('input', choices)
  const rows = () => all('[data-step]', list)
  let selected = rows().at(-1)

  const findChoice = (filter: string) => radios.find(({ value }) => value === filter)

  /** Undefined for a filter without strength. */
  function findRange(filter: string) {
    const { min, max, default: standard } = findChoice(filter)?.dataset ?? {}
    return min === undefined ? undefined : { min: Number(min), max: Number(max), default: Number(standard) }
  }

  function show(): void {
    const steps = rows()
    for (const [index, row] of steps.entries()) {
      const { filter, select, slider, value } = partsOf(row)
      const name = `step ${index + 1} (${filter})`
      select.textContent = filter
      select.ariaLabel = `Step ${index + 1}: ${filter}`
      select.ariaCurrent = row === selected ? 'step' : null
      slider.ariaLabel = `Strength slider of ${name}`
      value.ariaLabel = `Strength of ${name}`
      const label = (selector: string, text: string, disabled: boolean) =>
        Object.assign(one<HTMLButtonElement>(selector, row), { ariaLabel: text, title: text, disabled })
      label('[data-move=up]', `Move ${name} up`, index === 0)
      label('[data-move=down]', `Move ${name} down`, index === steps.length - 1)
      label('[data-remove]', `Remove ${name}`, false)
    }
    choices.ariaLabel = selected ? `Filter of step ${steps.indexOf(selected) + 1}` : 'First filter'
    for (const radio of radios) radio.checked = radio.value === selected?.dataset.filter
    one('[data-note]:not(input)', root).textContent = radios.find(({ checked }) => checked)?.dataset.note ?? ''
    one('[data-hint]', root).textContent = `Click a filter to ${selected ? 'change the marked step' : 'add it'}.`
    one('[data-no-steps]', root).hidden = steps.length > 0
    addButton.disabled = steps.length >= Number(list.dataset.max)
  }

  function append({ filter, strength }: StepChoice): void {
    list.append(template.content.cloneNode(true))
    selected = list.lastElementChild as HTMLElement
    setFilter(selected, filter, strength)
  }

  function setFilter(row: HTMLElement, filter: string, strength?: string): void {
    const range = findRange(filter)
    const { value } = partsOf(row)
    row.dataset.filter = filter
    value.value = strength || String(range?.default ?? '')
    one('[data-strength]', row).hidden = !range
    fitSlider(row)
  }

  /** The slider stays within the range; the text field takes anything, and the API validates it. */
  function fitSlider(row: HTMLElement): void {
    const { filter, slider, value } = partsOf(row)
    const range = findRange(filter)
    if (!range) return
    const scale = buildScale(range)
    Object.assign(slider, { min: 0, max: scale.length - 1, step: 1 })
    slider.value = String(findPosition(scale, Number(value.value)))
    slider.ariaValueText = value.value
  }

  function add(): void {
    const used = rows().map(({ dataset }) => dataset.filter)
    const unused = radios.find(({ value }) => !used.includes(value)) ?? radios[0]
    append({ filter: unused?.value ?? '', strength: '' })
    show()
    radios.find(({ checked }) => checked)?.focus()
  }

  function move(row: HTMLElement, button: HTMLButtonElement): void {
    if (button.dataset.move === 'up') row.previousElementSibling?.before(row)
    else row.nextElementSibling?.after(row)
    show()
    // A moved element loses the focus, and the button is disabled at the end of the list.
    const target = button.disabled ? one<HTMLButtonElement>('[data-move]:enabled', row) : button
    target.focus()
    announce(`${row.dataset.filter} is now step ${rows().indexOf(row) + 1} of ${rows().length}`)
  }

  function remove(row: HTMLElement): void {
    const neighbour = (row.nextElementSibling ?? row.previousElementSibling) as HTMLElement | null
    row.remove()
    if (selected === row) selected = neighbour ?? undefined
    show()
    const target = neighbour ? one('[data-remove]', neighbour) : addButton
    target.focus()
    announce(`${row.dataset.filter} removed`)
  }

  root.addEventListener('click', ({ target }) => {
    const button = (target as HTMLElement).closest('button')
    const row = button?.closest<HTMLElement>('[data-step]')
    if (!button) return
    if (row && button.matches('[data-select]')) {
      selected = row
      return show()
    }
    if (button === addButton) add()
    else if (row && button.dataset.move) move(row, button)
    else if (row) remove(row)
    onChange()
  })
  choices.addEventListener('input', ({ target }) => {
    const { value: filter } = target as HTMLInputElement
    if (selected) setFilter(selected, filter)
    else append({ filter, strength: '' })
    show()
  })
  list.addEventListener('input', ({ target }) => {
    const row = (target as HTMLElement).closest<HTMLElement>('[data-step]')
    if (!row) return
    const { filter, slider, value } = partsOf(row)
    const range = findRange(filter)
    if (target !== slider || !range) return fitSlider(row)
    value.value = slider.ariaValueText = String(buildScale(range)[Number(slider.value)])
  })
  for (const row of rows()) setFilter(row, row.dataset.filter ?? '', partsOf(row).value.value)
  show()

  return {
    read: (): StepChoice[] =>
      rows()
        .map(partsOf)
        .map(({ filter, value }) => ({ filter, strength: findRange(filter) ? value.value.trim() : '' })),
    write(steps: readonly StepChoice[]) {
      list.replaceChildren()
      selected = undefined
      for (const step of steps) append(step)
      show()
    },
    /** Finds the first strength that its filter does not accept. */
    findFix(): StrengthFix | undefined {
      for (const row of rows()) {
        const { filter, slider, value } = partsOf(row)
        const range = findRange(filter)
        const given = Number(value.value || range?.default)
        if (!range || (given >= range.min && given <= range.max)) continue
        const nearest = given < range.min ? range.min : given > range.max ? range.max : range.default
        const apply = () => {
          setFilter(row, filter, String(nearest))
          slider.focus()
          onChange()
        }
        return { filter, nearest, apply }
      }
      return undefined
    },
  }
}

const partsOf = (row: HTMLElement) => ({
  filter: row.dataset.filter ?? '',
  select: one<HTMLButtonElement>('[data-select]', row),
  slider: one<HTMLInputElement>('[data-slider]', row),
  value: one<HTMLInputElement>('[data-value]', row),
})
