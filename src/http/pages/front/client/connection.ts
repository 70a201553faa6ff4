import { one } from '../../shared/client/dom.ts'
import { requestJson } from '../../shared/client/request.ts'

const CHECK_INTERVAL_MS = 15_000
const STALE = 'The page shows what it loaded before.'

const twoDigits = (value: number) => String(Math.floor(value)).padStart(2, '0')

/** Asks the service at an interval whether it still replies, and says so if it does not. Returns the check. */
export function watchConnection(): () => Promise<void> {
  const uptime = one('[data-uptime]')
  const notice = one('[data-offline]')
  let seconds = Number(uptime.dataset.uptime)
  let since = performance.now()

  const tick = () => {
    const now = seconds + (performance.now() - since) / 1000
    uptime.textContent = notice.hidden ? [now / 3600, (now / 60) % 60, now % 60].map(twoDigits).join(':') : 'no reply'
  }
  const check = async () => {
    try {
      const { ok, body } = await requestJson<{ uptime: number }>('api/v1/uptime')
      // Above the rate limit, the service replies, but without its uptime.
      if (ok) [seconds, since] = [body.uptime, performance.now()]
      notice.hidden = true
    } catch {
      const cause = navigator.onLine ? 'The service does not reply.' : 'You are offline.'
      one('[data-offline-text]', notice).textContent = `${cause} ${STALE}`
      notice.hidden = false
    }
    tick()
  }
  const checkIfVisible = () => {
    if (!document.hidden) check()
  }
  setInterval(tick, 1000)
  setInterval(checkIfVisible, CHECK_INTERVAL_MS)
  document.addEventListener('visibilitychange', checkIfVisible)
  addEventListener('online', check)
  addEventListener('offline', check)
  one('[data-retry]', notice).addEventListener('click', check)
  return check
}
