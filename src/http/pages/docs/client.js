// The API reference: Scalar on our own document, with nothing from other hosts.
import { connectSearchKeys } from '../shared/client/search-keys.ts'

const root = document.documentElement
const system = matchMedia('(prefers-color-scheme: dark)')
const readTheme = () => root.dataset.theme ?? (system.matches ? 'dark' : 'light')

/** Scalar shows nothing if it cannot decode the anchor, or if the parameter `api` names a property of every object. */
function repairAddress() {
  const address = new URL(location.href)
  address.searchParams.delete('api')
  try {
    decodeURIComponent(address.hash)
  } catch {
    address.hash = ''
  }
  history.replaceState(null, '', address)
}
repairAddress()

Scalar.createApiReference('#reference', {
  url: 'openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  hideModels: false,
  // The header has the theme switch and the search of all pages.
  forceDarkModeState: readTheme(),
  hideDarkModeToggle: true,
  hideSearch: true,
  documentDownloadType: 'none',
  // The words of the other pages.
  localization: {
    translations: {
      clientLibraries: { heading: 'Language of the examples' },
      operation: { testRequest: 'Try it', pathParameters: 'Path', queryParameters: 'Query', requestBody: 'Body' },
    },
  },
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
})

// Scalar reads the theme once; its colours depend on these classes.
const followTheme = () => {
  const theme = readTheme()
  document.body.classList.toggle('dark-mode', theme === 'dark')
  document.body.classList.toggle('light-mode', theme === 'light')
}
new MutationObserver(followTheme).observe(root, { attributeFilter: ['data-theme'] })
system.addEventListener('change', followTheme)
connectSearchKeys()

// Scalar leaves the buttons that copy code without a name, gives others a name that is not what they show, and makes each
// example a landmark of the same name.
const fixLabels = () => {
  for (const button of document.querySelectorAll('.scalar-code-copy:not([aria-label])'))
    button.setAttribute('aria-label', 'Copy the code')
  for (const button of document.querySelectorAll('.show-more[aria-label^="Show all"]'))
    button.setAttribute('aria-label', `${button.innerText.trim()}: ${button.getAttribute('aria-label')}`)
  for (const card of document.querySelectorAll('.response-card[role=region]')) card.setAttribute('role', 'group')
}
new MutationObserver(fixLabels).observe(document.querySelector('#reference'), { childList: true, subtree: true })
