import { createButton, element } from '../../../shared/client/dom.ts'
import { formatBytes } from '../format.ts'
import type { Control } from './fields.ts'
import { uploadFile } from './upload.ts'

const PARALLEL_UPLOADS = 4

const traits = {
  platform: ['windows', 'macos', 'linux', 'any'],
  arch: ['x64', 'arm64', 'ia32', 'arm', 'riscv64', 'any'],
  kind: [
    ...['nsis', 'msi', 'dmg', 'pkg', 'appimage', 'deb', 'rpm', 'pacman', 'msix', 'portable'],
    ...['zip', 'tar', 'file', 'nupkg', 'blockmap', 'delta'],
  ],
}

interface Row {
  readonly file: File
  readonly node: HTMLElement
  readonly bar: HTMLProgressElement
  /** Platform, arch and kind, as the operator chose them. */
  read(): object
}

/** A field for files that are chosen or dragged in. Reading its value uploads them. */
export function createFiles({ hasTraits }: { readonly hasTraits: boolean }): Control {
  let rows: Row[] = []
  const input = element('input', { type: 'file', multiple: true, ariaLabel: 'Choose files' })
  const list = element('ul', { className: 'files' })
  const node = element(
    'div',
    { className: 'drop' },
    element('p', { className: 'choose' }, 'Drag files here, or choose them: ', input),
    list,
  )

  const changed = () => void node.dispatchEvent(new Event('input', { bubbles: true }))

  function remove(row: Row | undefined) {
    rows = rows.filter((other) => other !== row)
    row?.node.remove()
  }

  function add(files: Iterable<File>) {
    for (const file of files) {
      // A file that is chosen again replaces the earlier one: it may have changed on the disk.
      remove(rows.find((row) => row.file.name === file.name && row.file.size === file.size))
      const row = createRow(file, hasTraits, () => {
        remove(row)
        input.focus()
        changed()
      })
      rows.push(row)
      list.append(row.node)
    }
    changed()
  }

  input.addEventListener('change', () => {
    add(input.files ?? [])
    input.value = ''
  })
  node.addEventListener('dragover', (event) => {
    event.preventDefault()
    node.dataset.over = ''
  })
  node.addEventListener('dragleave', () => delete node.dataset.over)
  node.addEventListener('drop', (event) => {
    event.preventDefault()
    delete node.dataset.over
    add(event.dataTransfer?.files ?? [])
  })

  return {
    node,
    async read(report) {
      const waiting = [...rows]
      const digests = new Map<Row, string>()
      const send = async () => {
        for (let row = waiting.shift(); row; row = waiting.shift()) {
          report(`Sending ${row.file.name} (${rows.length - waiting.length} of ${rows.length})`)
          const { bar } = row
          bar.hidden = false
          digests.set(
            row,
            await uploadFile(row.file, (share) => {
              bar.value = share
            }),
          )
        }
      }
      // After a failure, the other uploads must not go on and report their progress.
      await Promise.all(Array.from({ length: PARALLEL_UPLOADS }, send)).finally(() => waiting.splice(0))
      return rows.map((row) => ({ upload: digests.get(row), name: row.file.name, ...row.read() }))
    },
    write(value) {
      if (value !== undefined) return
      rows = []
      list.replaceChildren()
    },
  }
}

function createRow(file: File, hasTraits: boolean, onRemove: () => void): Row {
  const { name } = file
  const bar = element('progress', { hidden: true, ariaLabel: `Upload of ${name}` })
  const remove = createButton(
    'second',
    onRemove,
    'Remove',
    element('span', { className: 'visually-hidden' }, ` ${name}`),
  )
  const selects = hasTraits
    ? Object.entries(traits).map(([trait, values]) => {
        const guess = element('option', { value: '' }, `${trait}: auto`)
        const select = element('select', { name: trait, ariaLabel: `${trait} of ${name}` }, guess)
        select.append(...values.map((value) => element('option', { value }, value)))
        return select
      })
    : []
  const signature = element('input', {
    type: 'text',
    name: 'signature',
    placeholder: 'Signature, if any',
    ariaLabel: `Signature of ${name}`,
  })
  const stated = hasTraits ? [...selects, signature] : []
  const picture = file.type.startsWith('image/') && !hasTraits ? [createThumbnail(file)] : []
  const about = element('span', { className: 'name' }, element('bdi', {}, name), ` (${formatBytes(file.size)})`)
  return {
    file,
    bar,
    node: element('li', {}, ...picture, about, ...stated, bar, remove),
    read: () => Object.fromEntries(stated.flatMap(({ name, value }) => (value ? [[name, value]] : []))),
  }
}

function createThumbnail(file: File): HTMLElement {
  const url = URL.createObjectURL(file)
  const image = element('img', { src: url, alt: '', width: 48, height: 48 })
  image.addEventListener('load', () => URL.revokeObjectURL(url))
  image.addEventListener('error', () => image.remove())
  return image
}
