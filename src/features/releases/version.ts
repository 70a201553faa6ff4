// Versions of one to four numbers with an optional pre-release: 7, 2.1.0-beta.1, 8.7.3.1.
import { InvalidVersion } from '../../errors/index.ts'

const MAX_NUMBERS = 4
const MAX_LENGTH = 100
/** Fifteen digits fit exactly into a JavaScript number. */
const NUMBER = '(?:0|[1-9][0-9]{0,14})'
const IDENTIFIER = `(?:${NUMBER}(?![0-9A-Za-z-])|[0-9]*[A-Za-z-][0-9A-Za-z-]*)`
const VERSION = new RegExp(
  `^(?<numbers>${NUMBER}(?:\\.${NUMBER}){0,${MAX_NUMBERS - 1}})(?:-(?<prerelease>${IDENTIFIER}(?:\\.${IDENTIFIER})*))?$`,
)

// For the OpenAPI document: plain enough for regular expressions of all languages. `parseVersion` is stricter.
export const versionPattern = '^[0-9]{1,15}(\\.[0-9]{1,15}){0,3}(-[0-9A-Za-z.-]+)?$'
export const sentVersionPattern = '^v?[0-9]{1,15}(\\.[0-9]{1,15}){0,3}(-[0-9A-Za-z.-]+)?(\\+[0-9A-Za-z.-]+)?$'

/** Completes "<field> …". */
export const versionRule =
  'must be one to four numbers with an optional pre-release, such as 8.7.3.1 or 2.1.0-beta.1: at most 100 characters, 15 digits per ' +
  'number, and no leading zeros, "v" or build metadata'

export interface Version {
  /** The version as it was published. */
  readonly text: string
  /** Equal for all texts of one version: 1.2 and 1.2.0 are the same. */
  readonly key: string
  /** Always four: missing ones are 0. */
  readonly numbers: readonly number[]
  readonly prerelease: readonly (string | number)[]
}

export function parseVersion(text: string): Version | undefined {
  const { numbers = '', prerelease } = (text.length <= MAX_LENGTH && VERSION.exec(text)?.groups) || {}
  if (numbers === '') return undefined
  const four = [...numbers.split('.').map(Number), 0, 0, 0].slice(0, MAX_NUMBERS)
  const identifiers = prerelease?.split('.').map((part) => (/^[0-9]+$/.test(part) ? Number(part) : part)) ?? []
  const key = four.join('.') + (prerelease === undefined ? '' : `-${prerelease}`)
  return { text, key, numbers: four, prerelease: identifiers }
}

export const isVersion = (text: string) => parseVersion(text) !== undefined

/** 1.2 and 1.2.0 are the same version. `published` is valid. */
export const isSameVersion = (published: string, text: string) =>
  parseVersion(published)?.key === parseVersion(text)?.key

/** Launchers may also send "v2.1.0", or build metadata, which does not count in comparisons. */
export const parseSentVersion = (text: string) => parseVersion(text.replace(/^v/, '').replace(/\+[0-9A-Za-z.-]+$/, ''))

export function parseVersionParameter(parameter: string, text: string): Version {
  const version = parseSentVersion(text)
  if (!version) throw new InvalidVersion(parameter)
  return version
}

/** Positive if `a` is newer. A pre-release is older than its release; its identifiers compare as semver says. */
export function compareVersions(a: Version, b: Version): number {
  for (let index = 0; index < MAX_NUMBERS; index++) {
    const difference = a.numbers[index]! - b.numbers[index]!
    if (difference !== 0) return difference
  }
  const [mine, other] = [a.prerelease, b.prerelease]
  if (mine.length === 0 || other.length === 0) return other.length - mine.length
  for (let index = 0; index < Math.max(mine.length, other.length); index++) {
    const difference = compareIdentifiers(mine[index], other[index])
    if (difference !== 0) return difference
  }
  return 0
}

type Identifier = string | number | undefined

/** Missing ones come first, then numbers, then texts in the order of their characters. */
function compareIdentifiers(a: Identifier, b: Identifier): number {
  if (a === b) return 0
  if (a === undefined || b === undefined) return a === undefined ? -1 : 1
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1
  return a < b ? -1 : 1
}

/** Formats such as Tauri's demand semantic versions: exactly three numbers. */
export const isSemantic = ({ text }: Version) => /^\d+\.\d+\.\d+(?:-|$)/.test(text)
