import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { ConfigError, type Environment, type SettingName, settings } from '../config.ts'

/** The settings of a file .env: only names that exist, because a mistyped one would be silently without effect. */
export function readEnvFile(file: string): Environment {
  if (!existsSync(file)) return {}
  const values = { ...parseEnv(readFileSync(file, 'utf8')) }
  const names = Object.keys(settings)
  const unknown = Object.keys(values).filter((name) => !names.includes(name))
  if (unknown.length > 0) {
    throw new ConfigError(
      unknown.map((name) => `${file} sets ${name}, which is no setting${nearest(name, names)}.`).join('\n'),
    )
  }
  return values
}

function nearest(name: string, names: readonly string[]): string {
  const near = names
    .map((other) => ({ other, distance: distance(name.toUpperCase(), other) }))
    .sort((a, b) => a.distance - b.distance)[0]
  return near && near.distance <= 3 ? `; did you mean ${near.other as SettingName}?` : ''
}

/** How many letters must be added, dropped or changed. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const changed = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next[j] = Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1)
    }
    row = next
  }
  return row[b.length] ?? 0
}
