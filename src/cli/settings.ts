// The settings from a file .env, the environment and flags, and what is wrong with them.
import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import {
  type Config,
  type Environment,
  parseConfig,
  type SettingName,
  type SettingProblem,
  settings,
} from '../config/config.ts'
import { didYouMean, nearest } from './nearest.ts'
import { sentenceFor } from './sentence.ts'

const ENV_FILE = '.env'

export interface Settings {
  /** With the default in place of what is wrong. */
  readonly config: Config
  readonly problems: readonly SettingProblem[]
  readonly file: string
  /** The names that the file sets. */
  readonly namesInFile: readonly string[]
  /** Names in the environment that are no settings, but look like one. */
  readonly misspelled: readonly { readonly name: string; readonly meant: string }[]
  /** The names that are set anywhere. */
  readonly namesSet: readonly SettingName[]
}

/** A flag goes before the environment, the environment before the file. */
export function loadSettings(environment: Environment, flags: Environment, file = ENV_FILE): Settings {
  const { values, problems } = judgeEnvFile(file)
  const all = { ...values, ...environment, ...flags }
  const judged = parseConfig(all)
  return {
    config: judged.config,
    file,
    problems: [...problems, ...judged.problems],
    namesInFile: Object.keys(values),
    misspelled: mistypedIn(environment),
    namesSet: names.filter((name) => all[name] !== undefined),
  }
}

const names = Object.keys(settings) as SettingName[]

const firstWord = (name: string) => name.slice(0, name.indexOf('_') + 1)

/** The environment is full of names of others: only those that begin like the setting that they are near to are told. */
const mistypedIn = (environment: Environment) =>
  Object.keys(environment).flatMap((name) => {
    if (Object.hasOwn(settings, name) || firstWord(name) === '') return []
    const meant = nearest(name, names)
    return meant !== undefined && firstWord(meant) === firstWord(name) ? [{ name, meant }] : []
  })

/** Only names that exist are right, because a mistyped one would be silently without effect. */
function judgeEnvFile(file: string): { values: Environment; problems: SettingProblem[] } {
  if (!existsSync(file)) return { values: {}, problems: [] }
  try {
    const values: Environment = { ...parseEnv(readFileSync(file, 'utf8')) }
    const unknown = Object.keys(values).filter((name) => !Object.hasOwn(settings, name))
    const problems = unknown.map((name) => ({
      name,
      message: `${file} sets ${name}, which is no setting${didYouMean(name, names)}`,
    }))
    return { values, problems }
  } catch (error) {
    return { values: {}, problems: [{ name: file, message: sentenceFor(error) ?? `${file} cannot be read.` }] }
  }
}
