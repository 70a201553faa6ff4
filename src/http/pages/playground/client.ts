import { inBytes } from '../shared/client/bytes.ts'
import { copy } from '../shared/client/copy.ts'
import { announce, base, one } from '../shared/client/dom.ts'
import { exchangeView } from '../shared/client/exchange-view.ts'
import { copyCode, joinLanguages } from '../shared/client/languages.ts'
import { type Choice, choiceOf } from './client/choice.ts'
import { createCompare } from './client/compare.ts'
import { clearFacts, showFacts } from './client/facts.ts'
import { createBefore, type Filtered, filtered, filterPath } from './client/pictures.ts'
import { createTrouble } from './client/trouble.ts'

const WAIT_MS = 250

const page = one('.playground')
const form = one<HTMLFormElement>('[data-tools]')
const view = exchangeView(page)
const compare = createCompare()
const before = createBefore(page.dataset.unchanged ?? '')
const choice = choiceOf(form, (soon) => schedule(soon ? WAIT_MS : 0))
const trouble = createTrouble({ again: () => schedule(0), setStrength: choice.setStrength })

let timer: number | undefined
let running: AbortController | undefined

function schedule(ms: number): void {
  clearTimeout(timer)
  timer = setTimeout(() => apply(choice.read()), ms)
}

async function apply(wish: Choice): Promise<void> {
  running?.abort()
  const mine = new AbortController()
  running = mine
  const path = filterPath(wish)
  const { image, filter, strength } = wish
  history.replaceState(null, '', `?${new URLSearchParams({ image, filter, ...(strength && { strength }) })}`)
  view.showRequest(path)
  compare.wait(true)
  try {
    const outcome = await filtered(path, mine.signal)
    // After it, so that the source is fetched once, for the filter.
    const original = await before(image)
    if (!mine.signal.aborted) show(outcome, original)
  } catch (error) {
    if (mine.signal.aborted) return
    clearFacts()
    view.showText('', '')
    trouble.show((error as Error).message)
  } finally {
    if (running === mine) compare.wait(false)
  }
}

function show({ response, ms, picture, failure }: Filtered, original: Blob | undefined): void {
  compare.show({ before: original && URL.createObjectURL(original), after: picture && URL.createObjectURL(picture) })
  if (failure) {
    clearFacts()
    view.showJson(String(response.status), failure)
    trouble.showFailure(failure)
  } else if (picture) {
    trouble.clear()
    showFacts(response, picture.size, ms)
    const headers = ['content-type', 'content-length', 'cache-control', 'etag', 'x-cache', 'server-timing']
    view.showText(
      `${response.status} · ${inBytes(picture.size)}`,
      headers.map((name) => `${name}: ${response.headers.get(name)}`).join('\n'),
    )
    announce('Filtered')
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  schedule(0)
})
const copyUrl = one('[data-copy-url]')
copyUrl.addEventListener('click', () => copy(`${base}/${filterPath(choice.read())}`, copyUrl))
joinLanguages()
copyCode()
schedule(0)
