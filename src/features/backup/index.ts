export * from './backup-folder.ts'
export { scheduleBackups } from './schedule.ts'
