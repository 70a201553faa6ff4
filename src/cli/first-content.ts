// The content of a service that starts for the first time, in a folder without content.
import { existsSync } from 'node:fs'
import { cp, rename, rm } from 'node:fs/promises'
import { parseStoreUrl } from '../config/store-url.ts'
import type { CommandInput } from './command.ts'

/**
 * Copies the shipped content to CONTENT_DIR, so that a service in an empty folder has a blocklist and examples, and can
 * publish. If there is a data folder, the content is lost, which `/readyz` reports. Nodes with Redis get it from there.
 */
export async function createFirstContent({ config, settings }: CommandInput): Promise<boolean> {
  const { CONTENT_DIR, DATA_DIR, STORE_URL } = config
  const isLocal = STORE_URL === '' || parseStoreUrl(STORE_URL).kind === 'sqlite'
  const isFirst = !existsSync(CONTENT_DIR) && !existsSync(DATA_DIR)
  if (settings.namesSet.includes('CONTENT_DIR') || !isLocal || !isFirst) return false
  const { starterDir } = await import('../features/content/index.ts')
  // Renamed at the end: half a copy would look like content without a blocklist.
  const copy = `${CONTENT_DIR}.new-${process.pid}`
  try {
    await cp(starterDir, copy, { recursive: true })
    await rename(copy, CONTENT_DIR)
    return true
  } catch {
    // The folder is not writable. `/readyz` reports that the content is missing.
    await rm(copy, { recursive: true, force: true }).catch(() => {})
    return false
  }
}
