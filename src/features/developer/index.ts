export { createGeneratedFiles, type GeneratedFiles } from './generated-files.ts'
export { createLogFiles, type LogFiles } from './log-files.ts'
export { createUptimeClock, formatUptime, type Uptime } from './uptime.ts'
export { readVersion, type Version } from './version.ts'
