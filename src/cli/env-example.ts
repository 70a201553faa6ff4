import { listSettings } from '../config/config.ts'

/** A file .env with every setting, all of them commented out. */
export function envExample(introduction: string): string {
  const entries = listSettings().map(
    ([name, { help, rule, default: value }]) => `# ${help}\n# Must be ${rule}.\n# ${name}=${value}\n`,
  )
  return `# ${introduction}\n\n${entries.join('\n')}`
}
