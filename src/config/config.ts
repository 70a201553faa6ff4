// Reads the values of all settings, and reports those that are invalid.
import { OperatorError } from '../errors/index.ts'
import type { Setting } from './setting-types.ts'
import { settings } from './settings.ts'

export { settings }

export type SettingName = keyof typeof settings
export type Config = { [Name in SettingName]: NonNullable<ReturnType<(typeof settings)[Name]['parse']>> }
export type Environment = Record<string, string | undefined>

export const settingNames = Object.keys(settings) as SettingName[]

export const listSettings = () => Object.entries<Setting<unknown>>(settings) as [SettingName, Setting<unknown>][]

export interface SettingProblem {
  /** Undefined: the problem does not belong to one name. */
  readonly name?: string
  readonly message: string
}

/** Returns the problems, and a config that has the default in place of each invalid value. */
export function parseConfig(environment: Environment): { config: Config; problems: SettingProblem[] } {
  const problems: SettingProblem[] = []
  const config: Record<string, unknown> = {}
  for (const [name, setting] of listSettings()) {
    const text = environment[name]?.trim()
    // The OpenTelemetry specification treats an empty variable as unset.
    const given = text === '' && name.startsWith('OTEL_') ? undefined : text
    const value = setting.parse(given ?? setting.default)
    if (value === undefined) problems.push({ name, message: describeProblem(name, setting, given ?? '') })
    config[name] = value ?? setting.parse(setting.default)
  }
  return { config: config as Config, problems }
}

function describeProblem(name: string, { rule, describeProblem, secret }: Setting<unknown>, given: string): string {
  const value = secret ? '' : `, not ${JSON.stringify(given.slice(0, 80))}`
  return `${name} must be ${describeProblem?.(given) ?? rule}${value}.`
}

export function readConfig(environment: Environment): Config {
  const { config, problems } = parseConfig(environment)
  assertNoProblems(problems)
  return config
}

export function assertNoProblems(problems: readonly SettingProblem[]): void {
  if (problems.length > 0) throw new OperatorError(problems.map(({ message }) => message).join('\n'))
}
