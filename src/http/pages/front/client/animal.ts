import type { Answer } from '../../shared/client/ask.ts'
import { all, announce, one, prefersStillness, relative } from '../../shared/client/dom.ts'
import { chooseKind, onSubmit } from './kinds.ts'
import { createPanel } from './panel.ts'

interface Animal {
  readonly message: string
  readonly info: { readonly endpoint: string }
  readonly item?: { readonly alt?: string | null }
}

const ARRIVAL = [{ opacity: 0, transform: 'scale(1.05)' }, {}]

const pathOf = (kind: string) => `api/v2/random/animal/${kind}`

/** The animal of the page: another one by click, Enter, Space or the right arrow; the left arrow goes back. */
export function animal(): void {
  const seen: Answer<Animal>[] = []
  let at = 0
  let wanted = ''

  const panel = createPanel<Animal>('animal', { path: () => pathOf(kind()), show })
  const picture = one<HTMLImageElement>('.animal img', panel.root)
  const kind = chooseKind(panel.root, next)
  seen.push({ ok: true, status: 200, ms: 0, body: panel.firstReply() })

  async function show(answer: Answer<Animal>) {
    if (!seen.includes(answer)) at = seen.push(answer) - 1
    await swap(relative(answer.body.message), answer.body.item?.alt ?? `A ${answer.body.info.endpoint}`)
  }

  async function swap(src: string, alt: string) {
    wanted = src
    const ready = new Image()
    ready.src = src
    await ready.decode().catch(() => {
      throw new Error('The picture did not arrive. Try another one.')
    })
    // Another one was wished for while this one was on its way.
    if (wanted !== src) return
    picture.src = src
    picture.alt = alt
    for (const tile of all<HTMLImageElement>('[data-tile]')) tile.src = src
    if (!prefersStillness()) picture.animate(ARRIVAL, { duration: 350, easing: 'ease-out' })
    announce(alt)
  }

  function next() {
    if (seen[at + 1]?.body.info.endpoint === kind()) recall(at + 1)
    else panel.refresh()
  }

  function recall(nth: number) {
    const known = seen[nth]
    if (!known) return
    at = nth
    panel.recall(pathOf(known.body.info.endpoint), known)
  }

  onSubmit(panel.root, () => panel.refresh())
  addEventListener('keydown', (event) => {
    const target = event.target as HTMLElement
    if (target !== document.body && !panel.root.contains(target)) return
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || target.closest('input, textarea, select'))
      return
    if (event.key === 'ArrowRight') next()
    else if (event.key === 'ArrowLeft') recall(at - 1)
  })
}
