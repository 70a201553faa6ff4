export { GeneratedFiles } from './generated-files.ts'
export { LogFiles } from './log-files.ts'
export { createUptimeClock, formatUptime, type Uptime } from './uptime.ts'
export { readVersion, type Version } from './version.ts'
