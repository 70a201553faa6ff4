import { all, element } from '../../../shared/client/dom.ts'
import { formatCount, formatInteger } from '../format.ts'
import { button, note } from '../rows.ts'
import { call } from '../session.ts'
import type { FieldDefinition } from './fields.ts'
import type { FormDefinition, Values } from './form.ts'
import { entryTable, type Section, type Tools } from './section.ts'
import { type Kind, loadKinds } from './texts.ts'

/** A request with more pictures could take longer than a proxy waits. */
const BATCH = 50
const PAGE = 60
const MAX_RETRIES = 5
const RETRY_INTERVAL_MS = 1000

const credits: readonly FieldDefinition[] = [
  { name: 'author', label: 'Author', type: 'text' },
  { name: 'license', label: 'Licence', type: 'text' },
  { name: 'source', label: 'Source', type: 'text', hint: 'A URL.' },
  { name: 'alt', label: 'Description', type: 'text', hint: 'For people who cannot see the picture.' },
  { name: 'tags', label: 'Tags', type: 'words', hint: 'Single words, such as cat, sleeping.' },
]

interface Added {
  readonly results?: readonly { readonly source: string; readonly outcome: string; readonly reason?: string }[]
}

function describeAdded(replies: readonly Added[]): string[] {
  const results = replies.flatMap(({ results = [] }) => results)
  const added = results.filter(({ outcome }) => outcome === 'added')
  const others = results.filter(({ outcome }) => outcome !== 'added')
  return [
    `${formatCount(added.length, 'picture', 'pictures')} will be added.`,
    ...others.slice(0, 20).map(({ source, outcome, reason }) => `${source} is ${outcome}: ${reason}.`),
    ...(others.length > 20 ? [`${others.length - 20} more are skipped or refused.`] : []),
  ]
}

/** `known` is undefined for a new kind. */
const addForm = (known?: string): FormDefinition => ({
  title: known ? `Add pictures of ${known}` : 'New kind of animal',
  action: 'Add',
  about: 'Pictures are rotated upright, and metadata such as the place is removed. The credits are for all of them.',
  fields: [
    ...(known ? [] : [{ name: 'kind', label: 'Kind', type: 'text', hint: 'a-z, 0-9 and -.' } as const]),
    { name: 'pictures', label: 'Pictures', type: 'files' },
    ...credits,
    {
      name: 'keepDrawings',
      label: 'Serve the drawings, too',
      type: 'switch',
      hint: 'Only a built-in kind has drawings.',
    },
  ],
  change: ({ kind = known ?? '', pictures, ...body }: { kind?: string; pictures: readonly object[] } & Values) =>
    Array.from({ length: Math.max(1, Math.ceil(pictures.length / BATCH)) }, (_, n) => ({
      method: 'POST',
      path: `/pictures/${encodeURIComponent(kind)}`,
      body: { ...body, pictures: pictures.slice(n * BATCH, (n + 1) * BATCH) },
    })),
  describe: describeAdded,
})

const nameOf = (kind: string, chosen: readonly Picture[]) =>
  chosen.length === 1 ? `${chosen[0]?.file}` : `${formatInteger(chosen.length)} pictures of ${kind}`

interface Picture {
  readonly file: string
  readonly credit: Values
}

const loadPictures = async (kind: string) =>
  (await call<{ pictures: { pictures: Picture[] } }>(`/pictures/${kind}`)).pictures.pictures

/** Without `chosen`, removes all pictures of the kind, and so the kind itself. */
const removeForm = (kind: string, chosen?: readonly Picture[]): FormDefinition => ({
  title: `Remove ${chosen ? nameOf(kind, chosen) : `all pictures of ${kind}`}`,
  action: 'Remove',
  async change() {
    const files = (chosen ?? (await loadPictures(kind))).map(({ file }) => file)
    return { method: 'POST', path: `/pictures/${kind}/remove`, body: { files } }
  },
})

const creditForm = (kind: string, chosen: readonly Picture[]): FormDefinition => {
  const files = chosen.map(({ file }) => file)
  return {
    title: `Credits of ${nameOf(kind, chosen)}`,
    action: 'Publish',
    about: 'They replace the credits of these pictures.',
    entry: [`/pictures/${kind}`, 'pictures'],
    fields: credits,
    fill: () => (chosen.length === 1 ? chosen[0]!.credit : {}),
    change: (body) => ({ method: 'PUT', path: `/pictures/${kind}/credits`, body: { ...body, files } }),
  }
}

/** A new picture is served by all workers after about two seconds. */
function thumbnail(kind: string, { file, credit }: Picture): HTMLElement {
  const src = `media/animals/${kind}/${encodeURIComponent(file)}`
  const alt = String(credit.alt ?? file)
  const image = element('img', { loading: 'lazy', decoding: 'async', src, alt, width: 96, height: 96 })
  let retries = 0
  image.addEventListener('error', () => {
    if (++retries <= MAX_RETRIES) setTimeout(() => Object.assign(image, { src }), RETRY_INTERVAL_MS)
  })
  return image
}

function gallery(kind: string, pictures: readonly Picture[], tools: Tools): HTMLElement {
  const list = element('ul', { className: 'gallery' })
  let shown = 0
  const more = button('Show more', `pictures of ${kind}`, showMore)
  function showMore() {
    const next = pictures.slice(shown, shown + PAGE)
    shown += next.length
    list.append(
      ...next.map((picture) => {
        const box = element('input', { type: 'checkbox', value: picture.file })
        const { author, license } = picture.credit
        const words = [author, license].filter(Boolean).join(', ') || 'no credits'
        return element('li', {}, element('label', { className: 'pick' }, thumbnail(kind, picture), box, ` ${words}`))
      }),
    )
    more.hidden = shown >= pictures.length
  }
  showMore()
  const chosen = () => {
    const names = new Set(all<HTMLInputElement>(':checked', list).map(({ value }) => value))
    return pictures.filter(({ file }) => names.has(file))
  }
  const hint = element('p', { className: 'aside', role: 'status' })
  const act = (text: string, form: (pictures: readonly Picture[]) => FormDefinition) =>
    button(text, '', () => {
      const wanted = chosen()
      hint.textContent = wanted.length === 0 ? 'Select pictures first.' : ''
      if (wanted.length > 0) tools.open(form(wanted))
    })
  const selectAll = button('Select all shown', '', () => {
    for (const box of all<HTMLInputElement>('input', list)) box.checked = true
  })
  const actions = [
    selectAll,
    act('Credits', (wanted) => creditForm(kind, wanted)),
    act('Remove', (wanted) => removeForm(kind, wanted)),
  ]
  const bar = element('div', { className: 'buttons' }, ...(tools.mayPublish ? actions : []))
  return element('div', {}, bar, hint, list, more)
}

interface Loaded {
  readonly kinds: readonly Kind[]
  readonly kind: string | undefined
  readonly pictures: readonly Picture[]
}

/** The kind whose pictures are shown. */
let selected: string | undefined

export const pictures: Section<Loaded> = {
  name: 'pictures',
  title: 'Pictures',
  about:
    'Pictures in the content folder. A kind exists as long as it has pictures. A built-in kind is drawn until it has some.',
  create: { 'New kind': () => addForm() },
  async load() {
    const kinds = (await loadKinds()).filter(({ category }) => category === 'animals')
    const kind = kinds.find((other) => other.kind === selected)?.kind
    return { kinds, kind, pictures: kind === undefined ? [] : await loadPictures(kind) }
  },
  show({ kinds, kind, pictures }, tools) {
    if (kinds.length === 0) return [note('There are no pictures in the content folder yet.')]
    const rows = kinds.map(({ kind, items }) => {
      const open = button('Show', `pictures of ${kind}`, () => {
        selected = kind
        tools.refresh()
      })
      const forms = { 'Add pictures': addForm(kind), 'Remove kind': removeForm(kind) }
      return { subject: kind, cells: [kind, formatInteger(items), open], forms }
    })
    return [
      entryTable('All kinds of animals', ['Kind', 'Pictures', 'Show'], rows, tools),
      ...(kind === undefined
        ? []
        : [element('h3', { tabIndex: -1 }, `Pictures of ${kind}`), gallery(kind, pictures, tools)]),
    ]
  },
}
