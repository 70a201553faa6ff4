import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { commands } from '../src/cli/commands/index.ts'
import { envExample } from '../src/cli/env-example.ts'
import { commandHelp } from '../src/cli/help.ts'
import { listSettings } from '../src/config/config.ts'
import { allErrors } from '../src/http/api/about.ts'
import { definitionList } from '../src/platform/metrics/index.ts'
import { dashboard } from './dashboard.ts'

const MADE = '<!-- Made by `npm run docs` from the lists in the code; edit those. -->'

/** Path in the repository -> text. */
export function generatedDocs(): Record<string, string> {
  return {
    '.env.example': envExample('Copy to .env and take the # away from what you change. Made by `npm run docs`.'),
    'docs/errors.md': errorsDocument(),
    'docs/settings.md': settingsDocument(),
    'docs/commands.md': commandsDocument(),
    'docs/observing.md': observingDocument(),
    'ops/grafana/menagerie.json': `${JSON.stringify(dashboard(), null, 2)}\n`,
  }
}

const shown = (value: string) => (value === '' ? 'none' : `\`${value}\``)

function errorsDocument(): string {
  const rows = allErrors().map(({ code, status, summary }) => `| \`${code}\` | ${status} | ${summary} |`)
  return `# Errors

${MADE}

Every error reply is JSON:
\`{"success": false, "status": 404, "code": "UNKNOWN_KIND", "message": "…", "requestId": "…"}\`.
Programs should read \`code\`, which never changes. \`message\` is for people and may change. Some errors have details:
\`allowed\`, \`min\`, \`max\`, \`parameter\`, \`suggestion\`, \`retryAfter\` (also sent as the header \`Retry-After\`).

| code | status | meaning |
|---|---|---|
${rows.join('\n')}
`
}

function settingsDocument(): string {
  const rows = listSettings().map(
    ([name, { help, rule, default: value }]) => `| \`${name}\` | ${shown(value)} | ${help} | ${rule} |`,
  )
  return `# Settings

${MADE}

Set them in the environment, in a file \`.env\` in the folder that you start from, or as flags (\`--data-dir ./data\`); a flag goes
before the environment, the environment before the file. A wrong value stops the start with a message that names the rule.

| name | default | meaning | must be |
|---|---|---|---|
${rows.join('\n')}
`
}

function commandsDocument(): string {
  const sections = commands.map((command) => {
    const help = commandHelp(command).split(/\n\n(?:Settings:|--json prints )/)[0] ?? ''
    return `## ${command.name}\n\n\`\`\`text\n${help.trim()}\n\`\`\`\n`
  })
  return `# Commands

${MADE}

\`npm run menagerie -- <command>\` in a clone, \`menagerie <command>\` where it is installed. Every command takes \`--help\` and
\`--json\` and the flags of [the settings](settings.md); its exit code is 0 on success, 1 where
it failed, and 2 where the words were wrong.

${sections.join('\n')}`
}

/** Written by hand but for its table of metrics. */
function observingDocument(): string {
  const written = readFileSync(join(import.meta.dirname, '..', 'docs', 'observing.md'), 'utf8')
  const rows = definitionList().map(([, { name, type, labels, together, help }]) => {
    const joined = type === 'gauge' ? together : 'sum'
    return `| \`${name}\` | ${type} | ${labels.join(', ')} | ${help} | ${joined} |`
  })
  const table = `| name | type | labels | meaning | of several processes |\n|---|---|---|---|---|\n${rows.join('\n')}\n`
  return written.replace(/(<!-- metrics: .*? -->\n)[\s\S]*(<!-- \/metrics -->)/, (_, start, end) => start + table + end)
}
