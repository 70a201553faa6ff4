export { createGeneratedFiles, type GeneratedFiles } from './generated-files.ts'
export { createLogFiles, type LogFiles } from './log-files.ts'
export { createUptimeClock, formatUptime, readVersion, type Uptime, type Version } from './version.ts'
