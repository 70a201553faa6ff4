// The fields of forms, which are data. Each type builds its part of the page, and reads and writes its value.
import { element } from '../../../shared/client/dom.ts'
import { createFiles } from './files.ts'
import { createMarkdown, createNotes } from './markdown.ts'
import { createImage } from './markup.ts'

export interface FieldDefinition {
  /** The name in the request. */
  readonly name: string
  readonly label: string
  readonly type: keyof typeof types
  readonly hint?: string
  /** Values of a choice. */
  readonly options?: readonly string[]
  /** The value of a new form. */
  readonly value?: unknown
  /** Fields with the same group are in one part of the form, which is closed at first. */
  readonly group?: string
}

/** A field on the page. */
export interface Control {
  readonly node: HTMLElement
  /** The element that the label belongs to. Undefined: it has several, in a fieldset. */
  readonly input?: HTMLElement
  /** Undefined: nothing was entered. */
  read(report: (text: string) => void): unknown
  write(value: unknown): void
}

export interface Field {
  readonly definition: FieldDefinition
  readonly node: HTMLElement
  readonly read: Control['read']
  readonly write: Control['write']
  /** Shows what is wrong with it. */
  mark(message: string): void
}

type TextBox = HTMLInputElement | HTMLTextAreaElement

/** A text box whose value is parsed and formatted. */
const textBox =
  <Value>(create: () => TextBox, parse: (text: string) => Value | undefined, format: (value: Value) => string) =>
  (): Control => {
    const input = create()
    return {
      node: input,
      input,
      read: () => parse(input.value),
      write: (value?: Value) => {
        input.value = value === undefined ? '' : format(value)
      },
    }
  }

const line = () => element('input', { type: 'text', spellcheck: false, autocapitalize: 'off' })
const area = (rows: number) => () => element('textarea', { rows, spellcheck: false, className: 'plain' })
const splitLines = (text: string) => text.split('\n').flatMap((part) => part.trim() || [])
const orNothing = <Item>(list: readonly Item[]) => (list.length > 0 ? list : undefined)

function createPercent(): Control {
  const input = element('input', { type: 'range', min: '0', max: '100', step: '1' })
  const output = element('output')
  const show = () => {
    output.value = `${input.value} %`
  }
  input.addEventListener('input', show)
  const write = (value: number) => {
    input.value = String(value)
    show()
  }
  return { node: element('div', { className: 'slider' }, input, output), input, read: () => Number(input.value), write }
}

function createSwitch(): Control {
  const input = element('input', { type: 'checkbox' })
  return {
    node: input,
    input,
    read: () => input.checked || undefined,
    write: (value) => {
      input.checked = value === true
    },
  }
}

/** The URL of a picture, which is shown if it is one of the service. */
function createImageField(): Control {
  const input = line()
  const shown = element('div', { className: 'shown' })
  const show = () => shown.replaceChildren(...(input.value.startsWith('/') ? [createImage(input.value, '')] : []))
  input.addEventListener('change', show)
  return {
    node: element('div', { className: 'with-picture' }, input, shown),
    input,
    read: () => input.value.trim() || undefined,
    write(value: string = '') {
      input.value = value
      show()
    },
  }
}

function createChoice({ options = [] }: FieldDefinition): Control {
  const input = element('select', {}, ...options.map((value) => element('option', { value }, value)))
  return {
    node: input,
    input,
    read: () => input.value,
    write: (value?: string) => {
      if (value !== undefined) input.value = value
    },
  }
}

const types = {
  text: textBox(line, (text) => text.trim() || undefined, String),
  number: textBox<number>(line, (text) => (text.trim() === '' ? undefined : Number(text)), String),
  /** Separated by spaces or commas. */
  words: textBox<readonly string[]>(
    line,
    (text) => orNothing(text.split(/[\s,]+/).filter(Boolean)),
    (list) => list.join(', '),
  ),
  numbers: textBox<readonly number[]>(
    line,
    (text) =>
      orNothing(
        text
          .split(/[\s,%]+/)
          .filter(Boolean)
          .map(Number),
      ),
    (list) => list.join(', '),
  ),
  /** The text of a whole file. */
  file: textBox(area(14), String, String),
  lines: textBox<readonly string[]>(area(4), splitLines, (list) => list.join('\n')),
  /** One name and its value per line. */
  pairs: textBox<Readonly<Record<string, string>>>(
    area(4),
    (text) =>
      Object.fromEntries(
        splitLines(text).map((entry) => {
          const [, name = entry, value = ''] = /^(.*?)[\s:=]+(\S+)$/.exec(entry) ?? []
          return [name, value]
        }),
      ),
    (pairs) =>
      Object.entries(pairs)
        .map((pair) => pair.join(' '))
        .join('\n'),
  ),
  percent: createPercent,
  switch: createSwitch,
  choice: createChoice,
  markdown: createMarkdown,
  notes: createNotes,
  image: createImageField,
  files: () => createFiles({ hasTraits: false }),
  assets: () => createFiles({ hasTraits: true }),
} satisfies Record<string, (definition: FieldDefinition) => Control>

let count = 0

export function createField(definition: FieldDefinition): Field {
  const { label, hint = '', type, value } = definition
  const control: Control = types[type](definition)
  const id = `publish-${++count}`
  const error = element('p', { className: 'wrong', id: `${id}-error` })
  const about = element('p', { className: 'aside', id: `${id}-hint`, hidden: hint === '' }, hint)
  const described = control.input ?? control.node
  if (control.input) control.input.id = id
  described.setAttribute('aria-describedby', `${id}-hint ${id}-error`)
  const node = control.input
    ? element('div', { className: 'field' }, element('label', { htmlFor: id }, label), control.node, about, error)
    : element('fieldset', { className: 'field' }, element('legend', {}, label), about, control.node, error)
  node.dataset.type = type
  control.write(value)
  return {
    definition,
    node,
    read: control.read,
    write: control.write,
    mark(message) {
      error.textContent = message
      if (control.input) control.input.ariaInvalid = message ? 'true' : null
      const group = node.closest('details')
      if (message && group) group.open = true
      if (message) (control.input ?? control.node.querySelector<HTMLElement>('input, textarea'))?.focus()
    },
  }
}
