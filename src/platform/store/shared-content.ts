// The published content that nodes share, behind one interface.

/** The state of the published content. `head` differs if two histories of one lineage have the same number of changes. */
export interface ContentPosition {
  /** Content that began elsewhere has another lineage. */
  readonly lineage: string
  /** Increases by 1 with each change. */
  readonly sequence: number
  readonly head: string
}

export interface ContentFile {
  /** Relative to CONTENT_DIR. */
  readonly file: string
  /** The base64url of its SHA-256. */
  readonly version: string
  readonly size: number
}

/** The published content, which all nodes share. Every call rejects with StoreUnavailable, like those of the store. */
export interface SharedContent {
  /**
   * The position is undefined if there is no content, or if a part of it is missing. `nodes`: how many announced
   * themselves within the last ten seconds. `firstNode`: the one of them that has had files for the longest time; empty if
   * none has any. `requests`: see `requestFiles`.
   */
  position(
    announcedNode?: string,
    hasFiles?: boolean,
  ): Promise<{
    readonly position?: ContentPosition
    readonly nodes: number
    readonly firstNode: string
    readonly requests: number
  }>
  /** The node stops. */
  leave(node: string): Promise<void>
  /** Publishes a change as one step, if the position is still the expected one. A version of null removes the file. */
  commit(
    expected: ContentPosition,
    change: string,
    next: {
      readonly nextHead: string
      readonly maxBytes: number
      readonly files: readonly (Omit<ContentFile, 'version'> & { readonly version: string | null })[]
    },
  ): Promise<{ readonly outcome: 'done' | 'conflict' } | { readonly outcome: 'full'; readonly bytes: number }>
  /** Resolves to false and changes nothing if there is complete content that is not an older state of the same lineage. */
  replace(
    position: ContentPosition,
    files: readonly ContentFile[],
    changes: ReadonlyMap<number, string>,
  ): Promise<boolean>
  /** Compare the position before and after. */
  files(): Promise<ContentFile[]>
  /** Null: the change is not kept any more. */
  changes(ids: readonly number[]): Promise<(string | null)[]>
  /** The bytes of a file, or undefined if Redis has lost them. */
  get(version: string): Promise<Buffer | undefined>
  /** Resolves to the oldest versions, if all that were put have more than `maxBytes`: remove those that no file has. */
  put(version: string, bytes: Buffer, maxBytes: number): Promise<string[]>
  remove(versions: readonly string[]): Promise<void>
  /** Files that are not renewed within a day are removed. Resolves to those that are missing. */
  renew(versions: readonly string[]): Promise<string[]>
  /** Asks all nodes to renew their files and to supply the missing ones. */
  requestFiles(): Promise<void>
  /** One publisher at a time, for nodes that share a folder. Undefined: another one has had the lock for ten seconds. */
  lock(): Promise<AsyncDisposable | undefined>
  close(): Promise<void>
}
