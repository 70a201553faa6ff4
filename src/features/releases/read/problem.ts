/** What is wrong with a file of the operator. `file` is relative to the folder; `line` counts from 1. */
export interface Problem {
  readonly file: string
  readonly line: number
  readonly rule: string
  readonly message: string
}

/** A file as read: either its value, or why it has none. */
export type Read<T> =
  | { readonly value: T; readonly problems: readonly [] }
  | { readonly value?: undefined; readonly problems: readonly Problem[] }

export const refused = <T>(file: string, line: number, rule: string, message: string): Read<T> => ({
  problems: [{ file, line, rule, message }],
})
