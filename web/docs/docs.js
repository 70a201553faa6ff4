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
