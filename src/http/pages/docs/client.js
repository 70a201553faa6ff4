// The API reference: Scalar on our own document, with nothing from other hosts.
const kept = () => {
  try {
    return localStorage.getItem('theme')
  } catch {
    return null
  }
}

// Whoever chose a theme on the other pages has it here; others have that of their system.
const theme = ['light', 'dark'].find((name) => name === kept())

Scalar.createApiReference('#reference', {
  url: 'openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  hideModels: false,
  ...(theme && { forceDarkModeState: theme, hideDarkModeToggle: true }),
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
})

// Scalar leaves the buttons that copy code without a name, gives others a name that is not what they show, and makes each
// example a landmark of the same name.
const mend = () => {
  for (const button of document.querySelectorAll('.scalar-code-copy:not([aria-label])'))
    button.setAttribute('aria-label', 'Copy the code')
  for (const button of document.querySelectorAll('.show-more[aria-label^="Show all"]'))
    button.setAttribute('aria-label', `${button.innerText.trim()}: ${button.getAttribute('aria-label')}`)
  for (const card of document.querySelectorAll('.response-card[role=region]')) card.setAttribute('role', 'group')
}
new MutationObserver(mend).observe(document.querySelector('#reference'), { childList: true, subtree: true })
