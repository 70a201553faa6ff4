import { createButton, element } from '../../../shared/client/dom.ts'
import { call } from '../session.ts'
import type { Control } from './fields.ts'
import { buildMarkup } from './markup.ts'

/** A text box with a preview, which the service renders as it will render the published text. */
export function createMarkdown(): Control & { readonly input: HTMLTextAreaElement } {
  const input = element('textarea', { rows: 8 })
  const preview = element('div', {
    className: 'preview',
    hidden: true,
    role: 'region',
    ariaLabel: 'Preview',
    tabIndex: 0,
  })
  async function show() {
    if (preview.hidden) return
    try {
      const { html } = await call<{ html: string }>('/preview', 'POST', { markdown: input.value })
      preview.replaceChildren(buildMarkup(html))
    } catch (error) {
      preview.textContent = (error as Error).message
    }
  }
  const showOrHide = () => {
    preview.hidden = !preview.hidden
    toggle.ariaExpanded = String(!preview.hidden)
    void show()
  }
  const toggle = createButton('second', showOrHide, 'Preview')
  toggle.ariaExpanded = 'false'
  input.addEventListener('change', show)

  return {
    node: element('div', { className: 'with-preview' }, input, toggle, preview),
    input,
    read: () => input.value.trim() || undefined,
    write: (value: string = '') => {
      input.value = value.trim()
      void show()
    },
  }
}

type Notes = string | Readonly<Record<string, string>>

const DEFAULT_LANGUAGE = 'en'

/** Markdown in one or several languages; the first one is the original. */
export function createNotes(): Control {
  const list = element('div', { className: 'notes' })
  let texts: { readonly lang: HTMLInputElement; readonly text: Control; readonly node: HTMLElement }[] = []

  function add(lang: string, value: string): HTMLElement {
    const text = createMarkdown()
    text.write(value)
    const name = element('input', {
      type: 'text',
      value: lang,
      className: 'lang',
      spellcheck: false,
      autocapitalize: 'off',
    })
    text.input.ariaLabel = 'Notes, as Markdown'
    const removeEntry = () => {
      texts = texts.filter((other) => other !== entry)
      node.remove()
      node.dispatchEvent(new Event('input', { bubbles: true }))
      more.focus()
    }
    const remove = createButton('second', removeEntry, 'Remove language')
    const node = element('div', {}, element('label', {}, 'Language ', name), ' ', remove, text.node)
    const entry = { lang: name, text, node }
    texts.push(entry)
    list.append(node)
    return name
  }

  const more = createButton('second', () => add('', '').focus(), 'Add a language')

  return {
    node: element('div', {}, list, more),
    read(report) {
      const written = texts.flatMap(({ lang, text }) => {
        const markdown = text.read(report) as string | undefined
        return markdown === undefined ? [] : [[lang.value.trim() || DEFAULT_LANGUAGE, markdown] as const]
      })
      if (new Set(written.map(([lang]) => lang)).size < written.length)
        throw new Error('Two notes have the same language.')
      const [first] = written
      if (written.length <= 1 && (first === undefined || first[0] === DEFAULT_LANGUAGE)) return first?.[1]
      return Object.fromEntries(written)
    },
    write(value: Notes = '') {
      list.replaceChildren()
      texts = []
      const notes = typeof value === 'string' ? { [DEFAULT_LANGUAGE]: value } : value
      for (const [lang, text] of Object.entries(notes)) add(lang, text)
    },
  }
}
