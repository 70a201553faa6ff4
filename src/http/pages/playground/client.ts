import { formatBytes } from '../shared/client/bytes.ts'
import { copy } from '../shared/client/copy.ts'
import { announce, base, one, onSubmit } from '../shared/client/dom.ts'
import { connectCopyButtons, connectLanguageChoice } from '../shared/client/languages.ts'
import { type Failure, formatMilliseconds } from '../shared/client/request.ts'
import { connectRequestExample } from '../shared/client/request-example.ts'
import { buildFilterPath, type Choice } from './choice.ts'
import { createCompare } from './client/compare.ts'
import { watchConnection } from './client/connection.ts'
import { createErrorView } from './client/error-view.ts'
import { type ChangeSource, connectForm } from './client/form.ts'
import { connectHistory } from './client/history.ts'
import { connectFileInput, FileRefused, type LocalFile, openFile } from './client/local-file.ts'
import { clearDetails, createOriginalLoader, requestFilter, showDetails, showRows } from './client/reply.ts'
import { createResultView } from './client/result-view.ts'
import { createThumbnails } from './client/thumbnails.ts'
import { createWorkerClient } from './client/worker-client.ts'

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
const result = createResultView()
const worker = createWorkerClient()
const showThumbnails = createThumbnails(worker)
const loadOriginal = createOriginalLoader()
const connection = watchConnection(() => schedule())
const controls = connectForm(form, (source) => {
  // A URL replaces the file.
  if (controls.read().image) file = undefined
  schedule(source)
})
const errorView = createErrorView({ retry: () => schedule(), findStrengthFix: controls.findStrengthFix })

let file: LocalFile | undefined
let lastFile: LocalFile | undefined
const pageHistory = connectHistory(({ choice, hasFile }) => {
  file = hasFile ? lastFile : undefined
  controls.write(choice)
  schedule()
})

let timer: number | undefined
let running: AbortController | undefined

function schedule(source?: ChangeSource): void {
  clearTimeout(timer)
  timer = setTimeout(() => apply(source), source ? TYPING_DELAY_MS : 0)
}

async function apply(source: ChangeSource): Promise<void> {
  running?.abort()
  const mine = new AbortController()
  running = mine
  const choice = controls.read()
  pageHistory.save({ choice, hasFile: file !== undefined }, source)
  result.setFile(file)
  controls.setLocal(file !== undefined)
  compare.setBusy(true)
  try {
    await (file ? filterFile(file, choice, mine.signal) : filterUrl(choice, mine.signal))
  } catch (error) {
    if (mine.signal.aborted) return
    clearDetails()
    view.showText('', '')
    errorView.show((error as Error).message)
    if (!file) connection.failed()
  } finally {
    if (running === mine) compare.setBusy(false)
  }
}

async function filterUrl(choice: Choice, signal: AbortSignal): Promise<void> {
  const path = buildFilterPath(choice)
  view.showRequest(path)
  result.showUrl(`${base}/${path}`)
  const { response, ms, picture, failure } = await requestFilter(path, signal)
  // The original is loaded after the result, so that the service fetches the source once.
  const isAvailable = picture !== undefined && !response.headers.has('x-fallback')
  const original = await loadOriginal(choice.image, isAvailable)
  if (signal.aborted) return
  connection.succeeded()
  await show(original, picture?.blob, failure)
  if (signal.aborted) return
  if (failure) view.showJson(String(response.status), failure)
  else if (picture) {
    showDetails(response, picture, ms)
    view.showText(
      `${response.status} · ${formatBytes(picture.blob.size)}`,
      SHOWN_HEADERS.flatMap((name) =>
        response.headers.has(name) ? [`${name}: ${response.headers.get(name)}`] : [],
      ).join('\n'),
    )
  }
}

async function filterFile({ blob }: LocalFile, choice: Choice, signal: AbortSignal): Promise<void> {
  connection.succeeded()
  const startedAt = performance.now()
  const filtered = await worker.filter(blob, choice)
  if (signal.aborted) return
  if ('message' in filtered) return show(blob, undefined, filtered)
  await show(blob, filtered.blob, undefined)
  if (signal.aborted) return
  const { width, height, blob: after } = filtered
  showRows([
    ['Time', `${formatMilliseconds(performance.now() - startedAt)}, in your browser`],
    ['Image', `${width} × ${height}, ${formatBytes(after.size)}, ${after.type}`],
  ])
}

async function show(before: Blob | undefined, after: Blob | undefined, failure: Failure | undefined): Promise<void> {
  await compare.show({ before, after })
  result.showDownload(after)
  controls.markInvalid(failure?.parameter)
  void showThumbnails(before)
  if (failure) {
    clearDetails()
    errorView.showFailure(failure)
  } else {
    errorView.clear()
    announce('Filtered')
  }
}

async function chooseFile(chosen: File): Promise<void> {
  try {
    file = lastFile = await openFile(chosen)
    controls.clearImage()
    schedule()
  } catch (error) {
    if (!(error instanceof FileRefused)) throw error
    errorView.showFailure({ message: `${chosen.name}: ${error.message}` })
  }
}

onSubmit(form, () => schedule())
connectFileInput(chooseFile)
const copyUrl = one('[data-copy-url]')
copyUrl.addEventListener('click', () => copy(`${base}/${buildFilterPath(controls.read())}`, copyUrl))
connectLanguageChoice()
connectCopyButtons()
pageHistory.start(controls.read())
schedule()
