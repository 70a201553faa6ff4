import { randomUUID } from 'node:crypto'
import { type Static, Type } from 'typebox'
import {
  ClientDecided,
  ClientKeyInvalid,
  ClientKeyRequired,
  TooManyRequestsOpen,
  UnknownClient,
} from '../../errors/index.ts'
import type { ClientRecord, ClientState, Clients as ClientStore, Clock } from '../../platform/store/index.ts'
import { createKnown } from './revision-cache.ts'
import { holderOf, makeSecret } from './secret.ts'
import { lines, readWords, words } from './text-fields.ts'

const KEY_PREFIX = 'mngc_'
/** An operator reads them one by one; an hour is how soon a few may have been decided. */
const MAX_OPEN = 200
const RETRY_AFTER_SECONDS = 3600

/** What someone who asks for a key tells. */
export const ClientRequest = Type.Object({ name: words(2, 80), contact: words(3, 200), reason: lines(10, 1000) })
export type ClientRequest = Static<typeof ClientRequest>

/** A client as an operator may see it: without the hash of its key. */
export type Client = Omit<ClientRecord, 'keyHash'>

/** Which states each decision may follow on: a refusal or a revocation can be taken back, with a new key. */
const possible = {
  granted: ['asked', 'refused', 'revoked'],
  refused: ['asked'],
  revoked: ['granted'],
} as const satisfies Partial<Record<ClientState, ClientState[]>>

export interface Clients {
  /** Takes what a stranger sent, or throws what is wrong with it. */
  ask(request: unknown): Promise<Client>
  /** The key is in this answer and nowhere else; the operator hands it to the contact. */
  grant(id: string): Promise<{ key: string; client: Client }>
  refuse(id: string): Promise<Client>
  /** In force on every node within a second. */
  revoke(id: string): Promise<Client>
  list(state?: ClientState): Promise<Client[]>
  /** Whose key it is; throws what the caller is to be told. */
  authenticate(key: string | undefined): Promise<Client>
}

export interface ClientOptions {
  /** Path or URL where a key can be asked for; refusals name it. */
  askAt: string
  mostOpen?: number
  clock?: Clock
}

export function createClients(store: ClientStore, options: ClientOptions): Clients {
  const { askAt, mostOpen = MAX_OPEN, clock = Date.now } = options
  const known = createKnown({
    revision: store.revision,
    load: async () =>
      new Map((await store.list()).flatMap((client) => (client.keyHash ? [[client.keyHash, client]] : []))),
    // Launchers on thousands of machines go on with the keys that were good a moment ago.
    keepWhenAway: true,
  })

  const decide = async (id: string, state: keyof typeof possible, keyHash: string | null): Promise<Client> => {
    const from = possible[state]
    const decided = await store.decide(id, from, { state, decidedAt: clock(), keyHash })
    known.doubt()
    if (decided) return shown(decided)
    const found = await store.find(id)
    throw found ? new ClientDecided(state, found.state, [...from]) : new UnknownClient(id)
  }

  return {
    async ask(request) {
      const record: ClientRecord = {
        id: randomUUID(),
        ...readWords(ClientRequest, request),
        state: 'asked',
        createdAt: clock(),
        decidedAt: null,
        keyHash: null,
      }
      if (!(await store.ask(record, mostOpen))) throw new TooManyRequestsOpen(mostOpen, RETRY_AFTER_SECONDS)
      return shown(record)
    },
    async grant(id) {
      const { secret, hash } = makeSecret(KEY_PREFIX)
      return { client: await decide(id, 'granted', hash), key: secret }
    },
    refuse: (id) => decide(id, 'refused', null),
    revoke: (id) => decide(id, 'revoked', null),
    list: async (state) =>
      (await store.list()).filter((client) => state === undefined || client.state === state).map(shown),
    async authenticate(key) {
      if (key === undefined || key === '') throw new ClientKeyRequired(askAt)
      const client = holderOf(await known.current(), ({ keyHash }) => keyHash, key)
      if (!client) throw new ClientKeyInvalid(askAt)
      return shown(client)
    },
  }
}

const shown = ({ keyHash: _, ...client }: ClientRecord): Client => client
