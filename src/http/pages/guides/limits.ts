import type { Budgets } from '../../kernel/limits.ts'

/** The limits in force. */
export interface SiteLimits {
  /** One that is missing is not limited. */
  readonly budgets: Partial<Budgets>
  readonly picture: {
    readonly bytes: number
    readonly pixels: number
    readonly frames: number
    readonly milliseconds: number
  }
}
