import type { Problem } from '../../../platform/logging/index.ts'

export type { Problem }

/** A file as read: either its value, or why it has none. */
export type Read<T> =
  | { readonly value: T; readonly problems: readonly [] }
  | { readonly value?: undefined; readonly problems: readonly Problem[] }

export const refused = <T>(file: string, line: number, rule: string, message: string): Read<T> => ({
  problems: [{ file, line, rule, message }],
})
