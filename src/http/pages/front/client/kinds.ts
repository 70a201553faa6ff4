import { all, one } from '../../shared/client/dom.ts'

/** The links that choose a kind: here they change the panel, and the address, without loading the page. */
export function chooseKind(root: HTMLElement, chosen: () => void): () => string {
  const list = one('[data-kinds]', root)
  const field = one<HTMLInputElement>('[data-chosen]', root)
  list.addEventListener('click', (event) => {
    const link = (event.target as HTMLElement).closest<HTMLAnchorElement>('a')
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    for (const other of all('a', list)) other.ariaCurrent = other === link ? 'true' : null
    field.value = link.dataset.kind ?? ''
    const address = new URL(location.href)
    address.searchParams.set(list.dataset.kinds ?? '', field.value)
    history.replaceState(null, '', address)
    chosen()
  })
  return () => field.value
}

export function onSubmit(root: HTMLElement, work: () => void): void {
  one('form', root).addEventListener('submit', (event) => {
    event.preventDefault()
    work()
  })
}
