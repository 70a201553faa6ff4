// Times are text in replies, and numbers in the program.
import type { Client, Token } from '../../features/access/index.ts'
import type { Ban } from '../../platform/store/index.ts'

export type BanReply = Omit<Ban, 'at' | 'until'> & { readonly at: string; readonly until: string }
export type ClientReply = Omit<Client, 'createdAt' | 'decidedAt'> & {
  readonly createdAt: string
  readonly decidedAt: string | null
}

export type TokenReply = Omit<Token, 'createdAt' | 'expiresAt' | 'lastUsedAt'> & {
  readonly createdAt: string
  readonly expiresAt: string | null
  readonly lastUsedAt: string | null
}

const parseTime = (text: string | null) => (text === null ? null : Date.parse(text))

export const parseToken = ({ createdAt, expiresAt, lastUsedAt, ...token }: TokenReply): Token => ({
  ...token,
  createdAt: Date.parse(createdAt),
  expiresAt: parseTime(expiresAt),
  lastUsedAt: parseTime(lastUsedAt),
})

export const parseBan = ({ at, until, ...ban }: BanReply): Ban => ({
  ...ban,
  at: Date.parse(at),
  until: Date.parse(until),
})

export const parseClient = ({ createdAt, decidedAt, ...client }: ClientReply): Client => ({
  ...client,
  createdAt: Date.parse(createdAt),
  decidedAt: parseTime(decidedAt),
})
