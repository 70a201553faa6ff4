import { formatBytes } from '../shared/client/bytes.ts'
import { copy } from '../shared/client/copy.ts'
import { announce, base, one } from '../shared/client/dom.ts'
import { connectCopyButtons, connectLanguageChoice } from '../shared/client/languages.ts'
import { connectRequestExample } from '../shared/client/request-example.ts'
import { buildFilterPath, buildPlaygroundPath, type Choice } from './choice.ts'
import { createCompare } from './client/compare.ts'
import { createErrorView } from './client/error-view.ts'
import { connectForm } from './client/form.ts'
import { clearDetails, createOriginalLoader, type Filtered, requestFilter, showDetails } from './client/reply.ts'

const TYPING_DELAY_MS = 250
const SHOWN_HEADERS = [
  'content-type',
  'content-length',
  'cache-control',
  'etag',
  'x-cache',
  'x-fallback',
  'server-timing',
]

const form = one<HTMLFormElement>('[data-tools]')
const view = connectRequestExample(one('.playground'))
const compare = createCompare()
const loadOriginal = createOriginalLoader()
const controls = connectForm(form, (isTyping) => schedule(isTyping ? TYPING_DELAY_MS : 0))
const errorView = createErrorView({ retry: () => schedule(0), findStrengthFix: controls.findStrengthFix })

let timer: number | undefined
let running: AbortController | undefined

function schedule(ms: number): void {
  clearTimeout(timer)
  timer = setTimeout(() => apply(controls.read()), ms)
}

async function apply(choice: Choice): Promise<void> {
  running?.abort()
  const mine = new AbortController()
  running = mine
  const path = buildFilterPath(choice)
  history.replaceState(null, '', buildPlaygroundPath(choice))
  view.showRequest(path)
  compare.setBusy(true)
  try {
    const outcome = await requestFilter(path, mine.signal)
    // Only now, so that the service fetches the source once.
    const original = await loadOriginal(choice.image)
    if (!mine.signal.aborted) show(outcome, original)
  } catch (error) {
    if (mine.signal.aborted) return
    clearDetails()
    view.showText('', '')
    errorView.show((error as Error).message)
  } finally {
    if (running === mine) compare.setBusy(false)
  }
}

function show({ response, ms, picture, failure }: Filtered, original: Blob | undefined): void {
  compare.show({
    before: original && URL.createObjectURL(original),
    after: picture && URL.createObjectURL(picture.blob),
  })
  controls.markInvalid(failure?.parameter)
  if (failure) {
    clearDetails()
    view.showJson(String(response.status), failure)
    errorView.showFailure(failure)
  } else if (picture) {
    errorView.clear()
    showDetails(response, picture, ms)
    view.showText(
      `${response.status} · ${formatBytes(picture.blob.size)}`,
      SHOWN_HEADERS.flatMap((name) =>
        response.headers.has(name) ? [`${name}: ${response.headers.get(name)}`] : [],
      ).join('\n'),
    )
    announce('Filtered')
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  schedule(0)
})
const copyUrl = one('[data-copy-url]')
copyUrl.addEventListener('click', () => copy(`${base}/${buildFilterPath(controls.read())}`, copyUrl))
connectLanguageChoice()
connectCopyButtons()
schedule(0)
