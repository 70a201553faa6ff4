import { randomUUID } from 'node:crypto'
import { type Static, Type } from 'typebox'
import * as errors from '../../errors/index.ts'
import type { ClientRecord, ClientState, Clients as ClientStore, Clock } from '../../platform/store/index.ts'
import { createSecret, createSecretIndex, multiLineText, parseTextFields, singleLineText } from './secrets.ts'

const KEY_PREFIX = 'mngc_'
/** The operator reads pending requests one by one. */
const MAX_PENDING = 200
/** Requests that are undecided after this time are refused: the number of pending requests is limited. */
const PENDING_TTL_MS = 30 * 86_400_000
/** The operator may have decided some pending requests after this time. */
const RETRY_AFTER_SECONDS = 3600

/** The form that requests a client key. */
export const ClientRequest = Type.Object({
  name: singleLineText(2, 80, 'Your name, or the name of your program.'),
  contact: singleLineText(3, 200, 'Email address or profile to which the operator replies.'),
  reason: multiLineText(10, 1000, 'What you build, who uses it, and how often it sends requests.'),
})
export type ClientRequest = Static<typeof ClientRequest>

export type Client = Omit<ClientRecord, 'keyHash'>

/** The states in which each decision is allowed. A refused or revoked client can be granted a new key. */
const allowedFrom = {
  granted: ['pending', 'refused', 'revoked'],
  refused: ['pending'],
  revoked: ['granted'],
} as const satisfies Partial<Record<ClientState, ClientState[]>>

export type Clients = ReturnType<typeof createClients>

type ClientsOptions = { readonly maxPending?: number; readonly clock?: Clock }

export function createClients(store: ClientStore, { maxPending = MAX_PENDING, clock = Date.now }: ClientsOptions = {}) {
  // Launchers on thousands of machines must keep working during an outage.
  const keys = createSecretIndex(store, {
    getHash: ({ keyHash }) => keyHash,
    keepWhenUnavailable: true,
    deletesRevoked: false,
    revokeAgain: ({ id }) =>
      store.decide(id, allowedFrom.revoked, { state: 'revoked', decidedAt: clock(), keyHash: null }),
  })

  const decide = async (id: string, state: keyof typeof allowedFrom, keyHash: string | null): Promise<Client> => {
    const from = allowedFrom[state]
    const decided = await store.decide(id, from, { state, decidedAt: clock(), keyHash })
    if (decided?.state === 'revoked') keys.markRevoked(id)
    keys.invalidate()
    if (decided) return withoutHash(decided)
    const found = await store.find(id)
    throw found ? new errors.ClientDecided(state, found.state, [...from]) : new errors.UnknownClient(id)
  }

  const refuseExpired = async () => {
    const expired = (await store.list()).filter(
      ({ state, createdAt }) => state === 'pending' && createdAt < clock() - PENDING_TTL_MS,
    )
    const decision = { state: 'refused', decidedAt: clock(), keyHash: null } as const
    await Promise.all(expired.map(({ id }) => store.decide(id, allowedFrom.refused, decision)))
  }

  return {
    refresh: keys.refresh,
    async submitRequest(request: unknown): Promise<Client> {
      const record: ClientRecord = {
        id: randomUUID(),
        ...parseTextFields(ClientRequest, request),
        state: 'pending',
        createdAt: clock(),
        decidedAt: null,
        keyHash: null,
      }
      await refuseExpired()
      if (!(await store.addRequest(record, maxPending)))
        throw new errors.TooManyKeyRequests(maxPending, RETRY_AFTER_SECONDS)
      return withoutHash(record)
    },
    /** Returns the key, which is not stored; the operator sends it to the contact. */
    async grant(id: string) {
      const { secret, hash } = createSecret(KEY_PREFIX)
      return { client: await decide(id, 'granted', hash), key: secret }
    },
    refuse: (id: string) => decide(id, 'refused', null),
    /** Takes effect on every node within a second. */
    revoke: (id: string) => decide(id, 'revoked', null),
    list: async (state?: ClientState) =>
      (await store.list()).filter((client) => state === undefined || client.state === state).map(withoutHash),
    /** Throws an error that names `requestUrl`, where a key can be requested. */
    async authenticate(key: string | undefined, requestUrl: string): Promise<Client> {
      if (key === undefined || key === '') throw new errors.ClientKeyRequired(requestUrl)
      const client = await keys.find(key)
      if (!client) throw new errors.ClientKeyInvalid(requestUrl)
      return withoutHash(client)
    },
  }
}

const withoutHash = ({ keyHash: _, ...client }: ClientRecord): Client => client
