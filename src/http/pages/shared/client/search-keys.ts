/** `/` focuses the search field, the arrows move through the results, and Escape goes back. */
export function connectSearchKeys(): void {
  const field = document.querySelector<HTMLInputElement>('[data-search]')
  if (!field) return
  addEventListener('keydown', (event) => {
    const { target, key } = event
    if (event.ctrlKey || event.metaKey || event.altKey || !(target instanceof HTMLElement)) return
    const isTyping = target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)
    // They change while the visitor types.
    const results = [...document.querySelectorAll<HTMLElement>('[data-results] a')]
    const position = results.indexOf(target)
    const isInSearch = target === field || position >= 0
    let next: HTMLElement | undefined
    if (key === '/' && !isTyping) next = field
    else if (key === 'Escape' && position >= 0) next = field
    else if (key === 'Escape' && target === field && field.value === '') field.blur()
    else if (key === 'ArrowDown' && isInSearch) next = results[position + 1]
    else if (key === 'ArrowUp' && position >= 0) next = results[position - 1] ?? field
    if (!next) return
    event.preventDefault()
    next.focus()
  })
}
