import { encodeText } from '../shared/drawing-url.ts'
import { findOwnMedia } from './own-media.ts'

/** A filter and its strength as text: the API validates it. */
export interface StepChoice {
  readonly filter: string
  /** Empty for the default. */
  readonly strength: string
}

export const optionNames = ['width', 'height', 'fit', 'maxBytes', 'output', 'fallback'] as const
export type OptionName = (typeof optionNames)[number]

/** The state of the form. The URL of the page contains all of it. */
export interface Choice {
  /** Empty for a file of the visitor's device, which has no URL. */
  readonly image: string
  readonly steps: readonly StepChoice[]
  readonly options: Readonly<Partial<Record<OptionName, string>>>
}

/**
 * Commas and colons stay readable: a query may contain them. A link chooses the strengths, and the page shows programs with
 * this URL: a quote in it would end the text there, and what follows would be code.
 */
const formatSteps = (steps: readonly StepChoice[]) =>
  steps.map(({ filter, strength }) => (strength ? `${filter}:${encodeText(strength)}` : filter)).join(',')

function formatQuery({ image, options }: Choice, steps: string): string {
  const given = optionNames.flatMap((name) => (options[name] ? [[name, options[name]]] : []))
  const source = new URLSearchParams(image ? { image } : {})
  return [source, steps, new URLSearchParams(given)].map(String).filter(Boolean).join('&')
}

/** One filter has its own endpoint. A chain applies several, or only resizes. */
export function buildFilterPath(choice: Choice): string {
  const { steps } = choice
  const [first] = steps
  if (!first || steps.length > 1) {
    return `api/v2/filter/chain?${formatQuery(choice, first ? `steps=${formatSteps(steps)}` : '')}`
  }
  const strength = first.strength && `strength=${encodeText(first.strength)}`
  return `api/v2/filter/${first.filter}?${formatQuery(choice, strength)}`
}

/**
 * The path of the image before the filters. Images of other hosts come through the service, because the page may not
 * contact them.
 */
export const buildOriginalPath = (image: string, base: string): string =>
  findOwnMedia(image, base) ?? buildFilterPath({ image, steps: [], options: {} })

export const buildPlaygroundPath = (choice: Choice): string =>
  `playground?${formatQuery(choice, `steps=${formatSteps(choice.steps)}`)}`
