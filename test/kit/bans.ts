// Requests to the operator endpoints from new addresses, to see which of them are banned.
import assert from 'node:assert/strict'
import { APP } from './app.ts'
import { forSuite } from './scope.ts'
import { startTestService } from './service.ts'

export const OPERATOR = `${APP}/operator`
export const ATTACK = `${OPERATOR}/?x=<script>`
export const PUBLIC_URL = 'https://animals.example/base'
export const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

/** One service for all tests of a suite. */
export function createBanSuite() {
  const service = forSuite((scope) => startTestService(scope, { TRUST_PROXY: 'loopback', PUBLIC_URL }))
  let addresses = 0
  const nextAddress = () => `203.0.${Math.floor(++addresses / 250)}.${addresses % 250}`
  const isBanned = async (from: Record<string, string>) =>
    (await service().fetchJson('/api/v1/version', { headers: from })).body.code === 'BANNED'

  /** Sends a request several times from a new address. Returns the codes, and whether the address is banned afterwards. */
  const requestAs = async (path: string, headers: Record<string, string>, times = 1) => {
    const from = { 'x-forwarded-for': nextAddress() }
    const codes: string[] = []
    for (let i = 0; i < times; i++) {
      codes.push((await service().fetchJson(path, { headers: { ...from, ...headers } })).body.code)
    }
    return { codes, isBanned: await isBanned(from) }
  }

  const isBannedAfterBody = async (body: string, headers: Record<string, string> = {}) => {
    const from = { 'x-forwarded-for': nextAddress() }
    const init = { method: 'POST', body, headers: { ...from, ...headers } }
    assert.equal((await service().fetchJson(`${OPERATOR}/bans`, init)).status, 401)
    return await isBanned(from)
  }

  return { service, nextAddress, requestAs, isBannedAfterBody }
}
