import { one } from '../../shared/client/dom.ts'

const TYPING_PAUSE_MS = 150

/** The search page shows results while the visitor types. They come from the page that Enter would load. */
export function connectLiveSearch(): void {
  const results = document.querySelector('[data-results]')
  if (!results) return
  const field = one<HTMLInputElement>('.results [data-search]')
  let timer: number | undefined
  let request: XMLHttpRequest | undefined

  field.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(load, TYPING_PAUSE_MS)
  })

  function load(): void {
    request?.abort()
    const url = `search?q=${encodeURIComponent(field.value)}`
    // XMLHttpRequest parses a page itself; the policy of the pages forbids scripts to parse HTML.
    request = new XMLHttpRequest()
    request.responseType = 'document'
    request.open('GET', url)
    request.onload = () => {
      const page = request?.response as Document | null
      if (request?.status !== 200 || !page) return
      for (const part of ['[data-found]', '[data-results]']) {
        one(part).replaceChildren(...one(part, page).childNodes)
      }
      history.replaceState(null, '', url)
    }
    request.send()
  }
}
