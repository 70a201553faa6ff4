import {
  buildChoicePath,
  buildDescriptionPath,
  buildDrawingPath,
  buildFileName,
  buildSharePath,
  DEFAULT_SIZE,
  type DrawingChoice,
  formatTitle,
} from '../drawing-url.ts'
import { html } from '../html.ts'
import { copy } from './copy.ts'
import { all, announce, base, one } from './dom.ts'
import { requestJson } from './request.ts'

interface Description {
  readonly item: { readonly alt: string }
}

/** Characters with a meaning in Markdown. */
const MARKDOWN = /[\\`*_[\]<>&!#]/g

const linkOf = (choice: DrawingChoice) => `${base}/${buildDrawingPath(choice, 'png')}`

const COPIED_TEXTS: Readonly<Record<string, (choice: DrawingChoice) => string>> = {
  link: linkOf,
  html: (choice) =>
    html`<img src="${linkOf(choice)}" width="${choice.size}" height="${choice.size}" alt="${formatTitle(choice)}">`
      .text,
  markdown: (choice) => `![${formatTitle(choice).replace(MARKDOWN, '\\$&')}](${linkOf(choice)})`,
  page: ({ kind, name }) => `${base}/${buildSharePath(kind, name)}`,
}

/** Connects the drawing of a page with its options, links and copy buttons. */
export function connectDrawingTools() {
  const tools = one('[data-tools]')
  const frame = one('[data-drawing]')
  const linkField = one<HTMLTextAreaElement>('[data-link]', tools)
  const picture = one<HTMLImageElement>('img', frame)
  const { root = '', kind = '', name = '', size, background = '' } = tools.dataset
  let choice: DrawingChoice = { kind, name, size: Number(size), background }

  const options = all<HTMLAnchorElement>('[data-option]', tools).map((link) => {
    const { option = '', value = '' } = link.dataset
    return { link, option, value: option === 'size' ? Number(value) : value }
  })

  async function showPicture(src: string) {
    picture.src = src
    picture.alt = formatTitle(choice)
    const reply = await requestJson<Description>(root + buildDescriptionPath(choice)).catch(() => undefined)
    // Another drawing is shown meanwhile.
    if (!reply?.ok || picture.getAttribute('src') !== src) return
    picture.alt = reply.body.item.alt
    announce(`${formatTitle(choice)}: ${picture.alt}`)
  }

  function show(change: Partial<DrawingChoice>) {
    choice = { ...choice, ...change }
    const src = root + buildDrawingPath({ ...choice, size: DEFAULT_SIZE }, 'svg')
    if (picture.getAttribute('src') !== src) showPicture(src)
    frame.dataset.background = choice.background
    linkField.value = linkOf(choice)
    for (const { link, option, value } of options) {
      link.href = `${root}${buildChoicePath({ ...choice, [option]: value })}#drawing`
      link.ariaCurrent = choice[option as keyof DrawingChoice] === value ? 'true' : null
    }
    for (const link of all<HTMLAnchorElement>('[data-download]', tools)) {
      const type = link.dataset.download === 'svg' ? 'svg' : 'png'
      link.href = root + buildDrawingPath(choice, type)
      link.download = buildFileName(choice, type)
    }
    for (const link of all<HTMLAnchorElement>('[data-share]', tools)) {
      link.href = root + buildSharePath(choice.kind, choice.name)
    }
  }

  const problem = one('[data-drawing-problem]')
  picture.addEventListener('load', () => problem.replaceChildren())
  picture.addEventListener('error', () => {
    problem.textContent = 'The picture could not be loaded. Try again in a moment.'
  })
  for (const { link, option, value } of options) {
    link.addEventListener('click', (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return
      event.preventDefault()
      show({ [option]: value })
    })
  }
  for (const button of all('[data-copy]', tools)) {
    button.addEventListener('click', () => copy(COPIED_TEXTS[button.dataset.copy ?? '']!(choice), button))
  }
  return { show }
}
