// Runs in the head, before anything is painted: no flash of the other theme, nor of what scripts hide and show.
type Theme = 'light' | 'dark'

const KEPT = 'theme'
const root = document.documentElement
root.classList.add('scripted')

const kept = () => {
  try {
    return localStorage.getItem(KEPT)
  } catch {
    return null
  }
}

const given = kept()
if (given === 'light' || given === 'dark') root.dataset.theme = given

const current = (): Theme =>
  (root.dataset.theme as Theme | undefined) ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')

addEventListener('DOMContentLoaded', () => {
  const button = document.querySelector<HTMLElement>('[data-theme-switch]')
  if (!button) return
  const other = (): Theme => (current() === 'dark' ? 'light' : 'dark')
  const label = () => {
    button.textContent = other() === 'dark' ? 'Dark' : 'Light'
    button.setAttribute('aria-label', `${button.textContent} theme`)
  }
  label()
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', label)
  button.addEventListener('click', () => {
    root.dataset.theme = other()
    try {
      localStorage.setItem(KEPT, current())
    } catch {}
    label()
  })
})
