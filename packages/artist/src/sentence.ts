import type { Accent } from './colour.ts'

/** Replaces COLOUR in the phrase of an accessory by the name of its colour. */
export const insertColour = (phrase: string, accent: Accent) =>
  phrase.replace('COLOUR', accent).replace('a orange', 'an orange')

const joinPhrases = (phrases: readonly string[]) =>
  phrases.length > 1 ? `${phrases.slice(0, -1).join(', ')} and ${phrases.at(-1)}` : phrases.join('')

/** "A ginger tabby cat with green eyes and a red scarf, smiling and sitting". Empty features are left out. */
export function composeSentence(animal: string, features: readonly string[], actions: readonly string[]): string {
  const visible = features.filter(Boolean)
  const article = /^[aeiou]/i.test(animal) ? 'An' : 'A'
  return `${article} ${animal}${visible.length > 0 ? ` with ${joinPhrases(visible)}` : ''}, ${joinPhrases(actions)}`
}
