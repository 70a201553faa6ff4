import { hash } from 'node:crypto'
import type { Application } from './applications.ts'

/**
 * Whether a client belongs to the first `share` percent of a release. The same client always gets the same answer, a
 * greater share only adds clients, and who is first differs from release to release.
 */
export function isInRollout(client: string, application: Application, version: string, share: number): boolean {
  if (share >= 100) return true
  const digest = hash('sha256', `${application}\0${version}\0${client}`, 'buffer')
  return (digest.readUInt32BE() / 2 ** 32) * 100 < share
}
