import { blocklistCheck } from './blocklist.ts'
import type { Check } from './check.ts'
import { contentCheck, releasesCheck } from './content.ts'
import { diskCheck, foldersCheck } from './folders.ts'
import { clockCheck, memoryCheck, openFilesCheck } from './machine.ts'
import { applicationCheck, networkCheck } from './network.ts'
import { partsCheck } from './parts.ts'
import { portCheck } from './port.ts'
import { processesCheck } from './processes.ts'
import { nodeCheck, secretsCheck, settingsCheck } from './settings.ts'
import { storeCheck } from './store.ts'

export type { Check, Finding, Level } from './check.ts'
export { countOf, type Diagnosis, examine } from './examine.ts'

/** In the order in which they are told. To add one: a definition in a file beside this one, and a line here. */
export const checks: readonly Check[] = [
  ...[nodeCheck, partsCheck, clockCheck, openFilesCheck, memoryCheck, processesCheck],
  ...[settingsCheck, secretsCheck, networkCheck, applicationCheck, portCheck],
  ...[foldersCheck, diskCheck, storeCheck],
  ...[contentCheck, releasesCheck, blocklistCheck],
]
