import { demand } from './publish-error.ts'

/**
 * Tauri's bundler writes a minisign signature, whole and once more in Base64, and its updater reads no other. Only what
 * every such file has is looked for: whether the signature is good is for the updater, which has the key.
 */
export function demandSignature(text: string | undefined): void {
  if (text === undefined) return
  const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/.test(text)
  const isMinisign = isBase64 && Buffer.from(text, 'base64').toString().startsWith('untrusted comment:')
  demand(isMinisign, 'The signature', 'must be the content of a .sig file as Tauri’s bundler writes it')
}
