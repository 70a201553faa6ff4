import { ask } from '../../shared/client/ask.ts'
import { one } from '../../shared/client/dom.ts'

const ASK_EVERY_MS = 15_000

const twoDigits = (value: number) => String(Math.floor(value)).padStart(2, '0')

/** Counts on by itself, and asks now and then whether the service is still there. */
export function uptime(): void {
  const shown = one('[data-uptime]')
  let seconds = Number(shown.dataset.uptime)
  let since = performance.now()
  let away = false

  const tick = () => {
    const now = seconds + (performance.now() - since) / 1000
    shown.textContent = away ? 'no answer' : [now / 3600, (now / 60) % 60, now % 60].map(twoDigits).join(':')
  }
  const look = async () => {
    if (document.hidden) return
    try {
      seconds = (await ask<{ uptime: number }>('api/v1/uptime')).body.uptime
      since = performance.now()
      away = false
    } catch {
      away = true
    }
    tick()
  }
  setInterval(tick, 1000)
  setInterval(look, ASK_EVERY_MS)
  document.addEventListener('visibilitychange', look)
}
