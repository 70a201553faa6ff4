import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { ConfigError, type Environment, settings } from '../config.ts'
import { didYouMean } from './nearest.ts'

/** The settings of a file .env: only names that exist, because a mistyped one would be silently without effect. */
export function readEnvFile(file: string): Environment {
  if (!existsSync(file)) return {}
  const values = { ...parseEnv(readFileSync(file, 'utf8')) }
  const names = Object.keys(settings)
  const unknown = Object.keys(values).filter((name) => !names.includes(name))
  if (unknown.length > 0) {
    throw new ConfigError(
      unknown.map((name) => `${file} sets ${name}, which is no setting${didYouMean(name, names)}`).join('\n'),
    )
  }
  return values
}
