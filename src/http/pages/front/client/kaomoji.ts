import { copy } from '../../shared/client/copy.ts'
import { announce, element, one } from '../../shared/client/dom.ts'
import { chooseKind, onSubmit } from './kinds.ts'
import { createPanel } from './panel.ts'

export function kaomoji(): void {
  const panel = createPanel<{ message: string[] }>('kaomoji', {
    path: (): string => `api/v2/random/kaomoji/${kind()}?count=${list.dataset.count}`,
    show: ({ body }) => {
      list.replaceChildren(...body.message.map((text) => element('li', {}, button(text))))
      announce(`${body.message.length} other kaomoji`)
    },
  })
  const list = one('[data-list]', panel.root)
  const kind = chooseKind(panel.root, panel.refresh)
  for (const item of list.children) item.replaceChildren(button(item.textContent ?? ''))
  onSubmit(panel.root, panel.refresh)
}

function button(text: string): HTMLButtonElement {
  const made = element(
    'button',
    { type: 'button' },
    element('span', { className: 'unseen' }, 'Copy '),
    element('bdi', {}, text),
  )
  made.addEventListener('click', () => copy(text, made))
  return made
}
