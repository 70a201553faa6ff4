import { all, one, onSubmit } from '../../shared/client/dom.ts'
import { connectDrawingTools } from '../../shared/client/drawing-tools.ts'
import { buildDrawingPath, DEFAULT_SIZE, readName } from '../../shared/drawing-url.ts'

/** Longer than the pause between two keys, so that not every part of a name is requested. */
const TYPING_PAUSE_MS = 300

/** Shows the animals of a name while it is typed. */
export function startAvatar(): void {
  const panel = one('[data-avatar]')
  const field = one<HTMLInputElement>('#avatar-name', panel)
  const kinds = all<HTMLInputElement>('[name=kind]', panel)
  const tools = connectDrawingTools()
  let timer = 0

  function show() {
    clearTimeout(timer)
    const name = readName(field.value) || field.placeholder
    const kind = kinds.find(({ checked }) => checked)?.value ?? ''
    for (const { value, labels } of kinds) {
      const src = buildDrawingPath({ kind: value, name, size: DEFAULT_SIZE, background: 'scene' }, 'svg')
      one<HTMLImageElement>('img', labels![0]).src = src
    }
    tools.show({ kind, name })
    one('[data-caption-name]', panel).textContent = name
    one('[data-caption-kind]', panel).textContent = kind
  }

  field.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(show, TYPING_PAUSE_MS)
  })
  for (const kind of kinds) kind.addEventListener('change', show)
  onSubmit(panel, show)
  // After going back, browsers restore what was typed.
  if (field.value !== '' || !kinds.some(({ checked, defaultChecked }) => checked && defaultChecked)) show()
}
