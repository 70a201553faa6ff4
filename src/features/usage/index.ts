// The usage history: requests by day, endpoint, kind, filter, referring site and user agent. Counts only.
export { createAgentReader, createReferrerReader, outcomeOf } from './classify.ts'
export { addCount, createUsageRecorder, type Tally, toRows, type UsageRecorder, type UsageTable } from './recorder.ts'
export { listUsageCells, readUsageDays, summarizeUsage, type UsageDay, type UsageSummary } from './summary.ts'
