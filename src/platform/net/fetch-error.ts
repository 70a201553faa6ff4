/** Why a fetch failed. Features turn this into errors in their own words. */
export type FetchFailure =
  | 'invalid-url'
  | 'blocked-host'
  | 'forbidden-address'
  | 'too-large'
  | 'timeout'
  /** There was no complete HTTP response. */
  | 'unreachable'
  /** The source answered with a status that is neither success nor a redirect. */
  | 'bad-status'
  | 'bad-redirect'

interface FetchDetails {
  /** The rest of a sentence that starts with "The URL" or "The source", such as "redirects too often". */
  readonly problem?: string
  /** The limit that was exceeded: bytes for `too-large`, milliseconds for `timeout`. */
  readonly max?: number
  /** For `blocked-host`. */
  readonly host?: string
  /** HTTP status of the source, if it sent one. */
  readonly sourceStatus?: number
}

/** Never names a resolved address: clients must not learn what a name resolves to inside the network. */
export class FetchError extends Error {
  readonly reason: FetchFailure
  readonly details: FetchDetails

  constructor(reason: FetchFailure, details: FetchDetails = {}) {
    super(details.problem ? `${reason}: ${details.problem}` : reason)
    this.name = 'FetchError'
    this.reason = reason
    this.details = details
  }
}
