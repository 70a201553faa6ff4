// Runs in the head before the first paint, so that no other theme flashes.
import { useStorage } from './storage.ts'

type Theme = 'light' | 'dark'

const STORAGE_KEY = 'theme'
const root = document.documentElement
root.classList.add('scripted')

const stored = useStorage('localStorage', (storage) => storage.getItem(STORAGE_KEY))
if (stored === 'light' || stored === 'dark') root.dataset.theme = stored

const current = (): Theme =>
  (root.dataset.theme as Theme | undefined) ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')

addEventListener('DOMContentLoaded', () => {
  const button = document.querySelector<HTMLElement>('[data-theme-switch]')
  if (!button) return
  const other = (): Theme => (current() === 'dark' ? 'light' : 'dark')
  const label = () => {
    button.textContent = other() === 'dark' ? 'Dark' : 'Light'
    button.setAttribute('aria-label', `Switch to ${other()} theme`)
  }
  label()
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', label)
  button.addEventListener('click', () => {
    root.dataset.theme = other()
    useStorage('localStorage', (storage) => storage.setItem(STORAGE_KEY, current()))
    label()
  })
})
