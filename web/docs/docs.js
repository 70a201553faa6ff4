// The API reference: Scalar on our own document, with nothing from other hosts.
Scalar.createApiReference('#reference', {
  url: 'openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  hideModels: false,
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
})
