import type { Config } from '../../config/config.ts'
import type { Command } from '../command.ts'
import { heldIn } from './completion-values.ts'
import { offerFor } from './offer.ts'
import { linesFor, shells } from './shells.ts'

/** The call that the scripts make; it is for them, so it is in no help. */
export const COMPLETE = '__complete'

/** What a script reads: a line a candidate, or that paths are wanted. */
export async function complete(
  commands: readonly Command[],
  words: readonly string[],
  config: Config,
): Promise<string> {
  const [name = '', ...given] = words
  const shell = Object.entries(shells).find(([shell]) => shell === name)?.[1]
  if (!shell) return ''
  const typed = shell.words(given)
  const offer = await offerFor(commands, typed, heldIn(config))
  return typeof offer === 'string' ? `:${offer}\n` : linesFor(shell, offer, typed.at(-1) ?? '')
}
