// Loads the settings from flags, the environment and a .env file, and formats an example of such a file.
import { lstatSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import type { Environment, SettingProblem } from '../config/config.ts'
import { listSettings, parseConfig, settingNames, settings } from '../config/config.ts'
import { didYouMean, findSimilar } from './parse.ts'
import { describeError } from './text.ts'

export type Settings = ReturnType<typeof loadSettings>

/** Flags override the environment, and the environment overrides the file. */
export function loadSettings(environment: Environment, flags: Environment, file = '.env') {
  const fromFile = readEnvFile(file)
  const values = { ...fromFile.values, ...environment, ...flags }
  const { config, problems } = parseConfig(values)
  return {
    /** Has the default in place of each invalid value. */
    config,
    problems: [...fromFile.problems, ...problems],
    file,
    namesInFile: Object.keys(fromFile.values),
    /** Environment variables that are not settings, but look like one. */
    misspelled: findMisspelled(environment),
    /** Settings that a flag, the environment or the file sets. */
    namesSet: settingNames.filter((name) => values[name] !== undefined),
  }
}

const prefixOf = (name: string) => name.slice(0, name.indexOf('_') + 1)

/** The environment has many unrelated variables: only those with the prefix of a setting, such as FILTER_, are reported. */
const findMisspelled = (environment: Environment) =>
  Object.keys(environment).flatMap((name) => {
    if (Object.hasOwn(settings, name) || prefixOf(name) === '') return []
    const suggestion = findSimilar(
      name,
      settingNames.filter((setting) => prefixOf(setting) === prefixOf(name)),
    )
    return suggestion === undefined ? [] : [{ name, suggestion }]
  })

/** An unknown name in the file is a problem: a misspelled setting would silently have no effect. */
function readEnvFile(file: string): { values: Environment; problems: SettingProblem[] } {
  try {
    // Not `existsSync`: a link to nowhere, such as to a disk that is not mounted, must not mean "no settings".
    if (!lstatSync(file, { throwIfNoEntry: false })) return { values: {}, problems: [] }
    const text = readFileSync(file, 'utf8')
    const values: Environment = { ...parseEnv(text) }
    const unknown = Object.keys(values).filter((name) => !Object.hasOwn(settings, name))
    const unknownNames = unknown.map((name) => ({
      name,
      message: `${file} sets ${name}, which is not a setting${didYouMean(name, settingNames)}`,
    }))
    return { values, problems: [...findLinesWithoutEquals(file, text), ...unknownNames] }
  } catch (error) {
    return { values: {}, problems: [{ message: describeError(error) ?? `${file} cannot be read.` }] }
  }
}

const QUOTED_VALUE = /^[^#=\n]*=[ \t]*(["'`])[\s\S]*?\1/gm
const BLANK_OR_COMMENT = /^\s*(?:#|$)/

/** `PORT: 80` would silently have no effect. The message does not contain the line, which may be a secret. */
function findLinesWithoutEquals(file: string, text: string): SettingProblem[] {
  // A quoted value may have several lines. Their number stays, so that the following lines are counted correctly.
  const lines = text.replace(QUOTED_VALUE, (value) => `=${value.replace(/[^\n]/g, '')}`).split('\n')
  return lines.flatMap((line, index) => {
    if (BLANK_OR_COMMENT.test(line) || line.includes('=')) return []
    const word = /^\s*(?:export\s+)?(\w+)/.exec(line)?.[1] ?? ''
    const name = Object.hasOwn(settings, word) ? word : 'NAME'
    return [{ message: `${file}:${index + 1} has no "=". Write ${name}=value.` }]
  })
}

/** A .env file with every setting, all of them commented out. */
export function formatEnvExample(introduction: string): string {
  const entries = listSettings().map(
    ([name, { help, rule, default: value }]) => `# ${help}\n# Must be ${rule}.\n# ${name}=${value}\n`,
  )
  return `# ${introduction}\n\n${entries.join('\n')}`
}
