// The rules that hand-written files and the publishing commands share. A rule completes "<field> must …".
import { valid } from 'semver'
import { isPlainName } from '../../platform/files/index.ts'

/** Build metadata takes no part in the order of versions: two such releases would be equal. */
export const isVersion = (text: string) => valid(text) === text
export const versionRule = 'must be a semantic version such as 2.1.0, without "v" or build part'

export function isWebUrl(text: string): boolean {
  const url = URL.parse(text)
  return text.length <= 2048 && /^https?:$/.test(url?.protocol ?? '') && !url?.username && !url?.password
}
export const urlRule = 'must be an absolute http or https URL without credentials'

/** Directly in files/, so that one look at one folder tells what is missing. */
export const isFileName = (text: string) => isPlainName(text) && !text.includes('/') && text.length <= 200
export const fileRule = 'must be the name of a file in files/, without folders'

export const isNewsId = (text: string) => /^[a-z0-9][a-z0-9._-]{0,119}$/i.test(text)
export const newsIdRule = 'must be 1 to 120 letters, digits, dots, dashes and underscores'

export const rolloutRange = { minimum: 1, maximum: 100 }
