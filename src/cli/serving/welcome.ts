import { relative } from 'node:path'
import type { Config } from '../../config/config.ts'

export function welcome(url: string, config: Config): string {
  const shown = config.PUBLIC_URL || url
  const folder = (path: string) => (relative(process.cwd(), path).startsWith('..') ? path : `./${relative('', path)}`)
  const workers = config.WORKERS > 1 ? `    Workers   ${config.WORKERS}\n` : ''
  return `
  Menagerie is open

    Pages     ${shown}/
    Service   ${shown}/api
    Reference ${shown}/docs
    Dashboard ${shown}/operator
    Content   ${folder(config.CONTENT_DIR)}
    Data      ${folder(config.DATA_DIR)}
${workers}
  Ctrl-C stops it; --help lists the settings.

`
}
