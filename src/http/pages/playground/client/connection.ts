import { announce, one } from '../../shared/client/dom.ts'

const FIRST_RETRY_MS = 2000
const MAX_RETRY_MS = 30_000
const OFFLINE = 'You are offline. You can still filter files on your device.'

/** Shows when the browser is offline, and repeats a failed request until the service replies. */
export function watchConnection(retry: () => void) {
  const notice = one('[data-offline]')
  let failures = 0
  let timer: number | undefined

  const showState = () => {
    notice.textContent = navigator.onLine ? '' : OFFLINE
    if (!navigator.onLine) announce(OFFLINE)
  }
  addEventListener('offline', showState)
  addEventListener('online', () => {
    showState()
    if (failures > 0) retry()
  })
  showState()

  return {
    succeeded() {
      failures = 0
      clearTimeout(timer)
    },
    failed() {
      clearTimeout(timer)
      timer = setTimeout(retry, Math.min(FIRST_RETRY_MS * 2 ** failures, MAX_RETRY_MS))
      failures++
    },
  }
}
