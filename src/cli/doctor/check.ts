import type { Config } from '../../config/config.ts'
import type { Settings } from '../settings.ts'

/** `advice` may stay as it is; what is `wrong` keeps something from working. */
export type Level = 'ok' | 'advice' | 'wrong'

export interface Finding {
  readonly level: Level
  /** What is so and what it means, as a sentence. */
  readonly text: string
  /** The command or setting that mends it, as it can be typed. */
  readonly mend?: string | undefined
  /** Where, in content: relative to CONTENT_DIR. */
  readonly file?: string
  readonly line?: number | undefined
  readonly rule?: string
}

/** What a check looks at. */
export interface Site {
  readonly settings: Settings
  readonly config: Config
  /** A call of this program as a person types it here. */
  command(words: string): string
  /** Says that the time of the check is up. */
  readonly signal: AbortSignal
}

export interface Check {
  readonly name: string
  /** For what may take longer than DEFAULT_LIMIT_MS on a healthy machine. */
  readonly limitMs?: number
  look(site: Site): Promise<readonly Finding[]> | readonly Finding[]
}

export const ok = (text: string): Finding => ({ level: 'ok', text })
export const advice = (text: string, mend: string): Finding => ({ level: 'advice', text, mend })
export const wrong = (text: string, mend?: string): Finding => ({ level: 'wrong', text, mend })

/** What is to be told, or else that all is well. */
export const orOk = (findings: readonly (Finding | false | undefined)[], text: string): readonly Finding[] => {
  const found = findings.filter((finding) => finding !== false && finding !== undefined)
  return found.length > 0 ? found : [ok(text)]
}
