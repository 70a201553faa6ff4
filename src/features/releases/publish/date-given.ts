import { dateRuleFor, parseDate } from '../dates.ts'
import { WrongWords } from './publish-error.ts'

export function dateGiven(text: string): string {
  const date = parseDate(text)
  if (!date) throw new WrongWords(`The time ${dateRuleFor(text)}.`)
  return date
}
