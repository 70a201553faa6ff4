/** Why a list was not taken; the message is for the operator, and the old list is as it was. */
export class UpdateRefused extends Error {
  readonly reason: 'unreachable' | 'unreadable' | 'empty' | 'shrank'

  constructor(reason: UpdateRefused['reason'], message: string) {
    super(message)
    this.reason = reason
  }

  /** The operator may know better than the check. */
  get canBeForced(): boolean {
    return this.reason === 'empty' || this.reason === 'shrank'
  }
}
