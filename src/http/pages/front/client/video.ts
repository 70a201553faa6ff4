import { announce, one } from '../../shared/client/dom.ts'
import { onSubmit } from './kinds.ts'
import { createPanel } from './panel.ts'

interface Video {
  readonly message: string
  readonly item: { readonly id: string; readonly title: string }
}

export function video(): void {
  const panel = createPanel<Video>('video', {
    path: (): string => `api/v2/random/yt-video/${panel.root.dataset.kind}`,
    show: ({ body: { message, item } }) => {
      link.href = message
      link.hidden = false
      one('[data-title]', link).textContent = item.title
      one<HTMLImageElement>('img', link).src = `media/animals/cat/~${item.id}.svg`
      announce(item.title)
    },
  })
  const link = one<HTMLAnchorElement>('[data-video]', panel.root)
  onSubmit(panel.root, panel.refresh)
}
