import type { Check } from './check.ts'
import { diskCheck, foldersCheck, secretsCheck, settingsCheck } from './configuration.ts'
import { blocklistCheck, contentCheck, releasesCheck } from './content.ts'
import { clockCheck, installationCheck, memoryCheck, nodeCheck, openFilesCheck, processesCheck } from './machine.ts'
import { applicationCheck, networkCheck, portCheck } from './network.ts'
import { storeCheck } from './store.ts'

export { type Check, type CheckedFinding, type Finding, type Level, runChecks } from './check.ts'

/** In the order of the report. To add a check, define it in one of these files and add it here. */
export const checks: readonly Check[] = [
  ...[nodeCheck, installationCheck, clockCheck, openFilesCheck, memoryCheck, processesCheck],
  ...[settingsCheck, secretsCheck, networkCheck, applicationCheck, portCheck],
  ...[foldersCheck, diskCheck, storeCheck],
  ...[contentCheck, releasesCheck, blocklistCheck],
]
