export { type FileContent, type FileEntry, GeneratedFiles } from './generated-files.ts'
export { type LogContent, type LogEntry, LogFiles } from './log-files.ts'
export { createUptimeClock, formatUptime, type Uptime } from './uptime.ts'
export { readVersion, type Version } from './version.ts'
