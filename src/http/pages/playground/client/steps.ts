import { all, announce, one } from '../../shared/client/dom.ts'
import type { StepChoice } from '../choice.ts'

export interface StrengthFix {
  readonly filter: string
  readonly nearest: number
  readonly apply: () => void
}

/** The list of filters: add, remove and reorder them, and set their strengths. */
export function connectSteps(root: HTMLElement, onChange: () => void) {
  const list = one('[data-steps]', root)
  const addButton = one<HTMLButtonElement>('[data-add]', root)
  const template = one<HTMLTemplateElement>('[data-step-template]', root)
  const rows = () => all('[data-step]', list)

  function showPositions(): void {
    const steps = rows()
    for (const [index, row] of steps.entries()) {
      const { select, slider, value } = partsOf(row)
      const name = `step ${index + 1} (${select.value})`
      select.ariaLabel = `Filter of step ${index + 1}`
      slider.ariaLabel = `Strength slider of ${name}`
      value.ariaLabel = `Strength of ${name}`
      const label = (selector: string, text: string, disabled: boolean) =>
        Object.assign(one<HTMLButtonElement>(selector, row), { ariaLabel: text, title: text, disabled })
      label('[data-move=up]', `Move ${name} up`, index === 0)
      label('[data-move=down]', `Move ${name} down`, index === steps.length - 1)
      label('[data-remove]', `Remove ${name}`, false)
    }
    one('[data-no-steps]', root).hidden = steps.length > 0
    addButton.disabled = steps.length >= Number(list.dataset.max)
  }

  function add(): void {
    const used = rows().map((row) => partsOf(row).select.value)
    list.append(template.content.cloneNode(true))
    const row = list.lastElementChild as HTMLElement
    const { select } = partsOf(row)
    select.value = [...select.options].find(({ value }) => !used.includes(value))?.value ?? select.value
    showFilter(row)
    showPositions()
    select.focus()
  }

  function move(row: HTMLElement, button: HTMLButtonElement): void {
    if (button.dataset.move === 'up') row.previousElementSibling?.before(row)
    else row.nextElementSibling?.after(row)
    showPositions()
    // A moved element loses the focus, and the button is disabled at the end of the list.
    const target = button.disabled ? one<HTMLButtonElement>('[data-move]:enabled', row) : button
    target.focus()
    announce(`${partsOf(row).select.value} is now step ${rows().indexOf(row) + 1} of ${rows().length}`)
  }

  function remove(row: HTMLElement): void {
    const neighbour = row.nextElementSibling ?? row.previousElementSibling
    row.remove()
    showPositions()
    const target = neighbour ? one('[data-remove]', neighbour) : addButton
    target.focus()
    announce(`${partsOf(row).select.value} removed`)
  }

  root.addEventListener('click', ({ target }) => {
    const button = (target as HTMLElement).closest('button')
    const row = button?.closest<HTMLElement>('[data-step]')
    if (!button) return
    if (button === addButton) add()
    else if (row && button.dataset.move) move(row, button)
    else if (row) remove(row)
    onChange()
  })
  list.addEventListener('input', ({ target }) => {
    const row = (target as HTMLElement).closest<HTMLElement>('[data-step]')
    if (!row) return
    const { select, slider, value } = partsOf(row)
    if (target === slider) value.value = slider.value
    else if (target === value) slider.value = value.value
    else if (target === select) {
      showFilter(row)
      showPositions()
    }
  })
  for (const row of rows()) fitSlider(row)
  showPositions()

  return {
    read: (): StepChoice[] =>
      rows()
        .map(partsOf)
        .map(({ select, value, range }) => ({ filter: select.value, strength: range ? value.value.trim() : '' })),
    /** Finds the first strength that its filter does not accept. */
    findFix(): StrengthFix | undefined {
      for (const { select, slider, value, range } of rows().map(partsOf)) {
        const given = Number(value.value || range?.default)
        if (!range || (given >= range.min && given <= range.max)) continue
        const nearest = given < range.min ? range.min : given > range.max ? range.max : range.default
        const apply = () => {
          value.value = slider.value = String(nearest)
          slider.focus()
          onChange()
        }
        return { filter: select.value, nearest, apply }
      }
      return undefined
    },
  }
}

function partsOf(row: Element) {
  const select = one<HTMLSelectElement>('[data-filter]', row)
  const { min, max, default: standard, sliderStep: step, note = '' } = select.selectedOptions[0]?.dataset ?? {}
  return {
    select,
    slider: one<HTMLInputElement>('[data-slider]', row),
    value: one<HTMLInputElement>('[data-value]', row),
    note,
    /** Undefined for a filter without strength. */
    range: min === undefined ? undefined : { min: Number(min), max: Number(max), default: Number(standard), step },
  }
}

/** Shows the chosen filter with its default strength. */
function showFilter(row: HTMLElement): void {
  const { value, note, range } = partsOf(row)
  one('[data-strength]', row).hidden = !range
  one('[data-note]:not(option)', row).textContent = note
  value.value = String(range?.default ?? '')
  fitSlider(row)
}

/** The slider stays within the range; the text field takes anything, and the API validates it. */
function fitSlider(row: HTMLElement): void {
  const { slider, value, range } = partsOf(row)
  if (!range) return
  const { min, max, step } = range
  Object.assign(slider, { min, max, step })
  slider.value = value.value
}
