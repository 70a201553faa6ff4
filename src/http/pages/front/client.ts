import { copy } from '../shared/client/copy.ts'
import {
  all,
  announce,
  base,
  createButton,
  element,
  one,
  onSubmit,
  prefersReducedMotion,
  toRelativeUrl,
} from '../shared/client/dom.ts'
import { connectCopyButtons, connectLanguageChoice } from '../shared/client/languages.ts'
import type { JsonReply } from '../shared/client/request.ts'
import { startAvatar } from './client/avatar.ts'
import { connectCode } from './client/code.ts'
import { watchConnection } from './client/connection.ts'
import { connectKindLinks, createPanels } from './client/panel.ts'

interface Animal {
  readonly message: string
  readonly info: { readonly endpoint: string }
  readonly item?: { readonly alt?: string | null }
}

const FADE_IN = [{ opacity: 0, transform: 'scale(1.05)' }, {}]

const code = connectCode()
const createPanel = createPanels(code, watchConnection())

const animalPath = (kind: string) => `api/v2/random/animal/${kind}`

/** Click, Enter, Space or the right arrow show another animal; the left arrow goes back. */
function startAnimal(): void {
  const seen: JsonReply<Animal>[] = []
  let at = 0
  let requested = ''

  const panel = createPanel<Animal>('animal', { path: () => animalPath(kind()), show, isRepeated })
  const picture = one<HTMLImageElement>('.animal img', panel.root)
  const request = one('[data-request]', panel.root)
  const kind = connectKindLinks(panel.root, next)
  const first = code.firstReply()
  if (first.success) seen.push({ ok: true, status: 200, ms: 0, body: first })

  /** A kind may have only one picture file, but it has many drawings. */
  function isRepeated({ body: { message } }: JsonReply<Animal>) {
    return message === seen[at]?.body.message && message.includes('/~')
  }

  async function show(reply: JsonReply<Animal>) {
    if (!seen.includes(reply)) at = seen.push(reply) - 1
    const { message, info, item } = reply.body
    await swap(toRelativeUrl(message), item?.alt ?? `A ${info.endpoint}`, info.endpoint)
  }

  async function swap(src: string, alt: string, endpoint: string) {
    requested = src
    const loader = new Image()
    loader.src = src
    await loader.decode().catch(() => {
      throw new Error('The picture could not be loaded. Try another one.')
    })
    // The user asked for another one meanwhile.
    if (requested !== src) return
    picture.src = src
    picture.alt = alt
    request.textContent = `curl ${base}/${animalPath(endpoint)}`
    for (const tile of all<HTMLImageElement>('[data-tile]')) tile.src = src
    if (!prefersReducedMotion()) picture.animate(FADE_IN, { duration: 350, easing: 'ease-out' })
    announce(alt)
  }

  function next() {
    if (seen[at + 1]?.body.info.endpoint === kind()) showAgain(at + 1)
    else panel.refresh()
  }

  function showAgain(index: number) {
    const reply = seen[index]
    if (!reply) return
    at = index
    panel.showAgain(animalPath(reply.body.info.endpoint), reply)
  }

  onSubmit(panel.root, panel.refresh)
  const copyButton = one('[data-copy-request]', panel.root)
  copyButton.addEventListener('click', () => copy(request.textContent ?? '', copyButton))
  addEventListener('keydown', (event) => {
    const target = event.target as HTMLElement
    if (target !== document.body && !panel.root.contains(target)) return
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || target.closest('input, textarea, select'))
      return
    if (event.key === 'ArrowRight') next()
    else if (event.key === 'ArrowLeft') showAgain(at - 1)
  })
}

function startKaomoji(): void {
  const panel = createPanel<{ message: string[] }>('kaomoji', {
    path: (): string => `api/v2/random/kaomoji/${kind()}?count=${list.dataset.count}`,
    show: ({ body }) => {
      list.replaceChildren(...body.message.map((text) => element('li', {}, createCopyButton(text))))
      announce(`${body.message.length} new kaomoji`)
    },
  })
  const list = one('[data-list]', panel.root)
  const kind = connectKindLinks(panel.root, panel.refresh)
  for (const item of list.children) item.replaceChildren(createCopyButton(item.textContent ?? ''))
  onSubmit(panel.root, panel.refresh)
}

function createCopyButton(text: string): HTMLButtonElement {
  const label = element('span', { className: 'visually-hidden' }, 'Copy ')
  const button = createButton('', () => copy(text, button), label, element('bdi', {}, text))
  return button
}

const SHAKE_MS = 900

/** The ball shakes long enough to be seen, unless the user prefers reduced motion. */
function startEightball(): void {
  let shaken: Promise<void> = Promise.resolve()
  const panel = createPanel<{ message: string }>('8ball', {
    path: () => 'api/v2/random/string/8ball',
    show: async ({ body }) => {
      await shaken
      answer.textContent = body.message
    },
  })
  const ball = one('[data-ball]', panel.root)
  const answer = one('[data-answer]', panel.root)
  onSubmit(panel.root, async () => {
    if (!prefersReducedMotion()) {
      shaken = new Promise((done) => setTimeout(done, SHAKE_MS))
      ball.classList.add('shaking')
    }
    answer.textContent = ''
    await panel.refresh()
    await shaken
    ball.classList.remove('shaking')
  })
}

interface Video {
  readonly message: string
  readonly item: { readonly title: string }
}

function startVideo(): void {
  const panel = createPanel<Video>('video', {
    path: (): string => `api/v2/random/yt-video/${panel.root.dataset.kind}`,
    show: ({ body: { message, item } }) => {
      link.href = message
      line.hidden = false
      one('[data-title]', link).textContent = item.title
      one('[data-host]', line).textContent = new URL(message).hostname
      announce(item.title)
    },
  })
  const line = one('[data-video]', panel.root)
  const link = one<HTMLAnchorElement>('a', line)
  onSubmit(panel.root, panel.refresh)
}

connectLanguageChoice()
connectCopyButtons()
startAnimal()
startAvatar()
startKaomoji()
startEightball()
startVideo()
