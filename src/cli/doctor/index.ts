import { readOpenFilesLimit } from '../../platform/files/index.ts'
import { type Check, ok } from './check.ts'
import { checkBlocklist, checkContentFiles, checkNodes, checkReleases } from './content.ts'
import * as machine from './machine.ts'
import { checkAppName, checkListenPort, checkNetwork, checkStore, checkWebhooks } from './network.ts'

export { type CheckedFinding, type Level, runChecks } from './check.ts'

/** Enough to read a hundred thousand pictures, or files of some gigabytes. */
const READ_TIMEOUT_MS = 120_000

/** In the order of the report. To add a check, write its function in one of these files and add it here. */
export const checks: readonly Check[] = [
  { name: 'node', run: () => ok(`Node ${process.versions.node} is supported.`) },
  { name: 'installation', run: machine.checkInstallation },
  { name: 'clock', run: machine.checkClock },
  { name: 'open files', run: () => machine.checkOpenFiles(readOpenFilesLimit()) },
  { name: 'memory', run: ({ config }) => machine.checkMemory(config) },
  { name: 'processes', run: ({ config }) => machine.checkProcesses(config) },
  { name: 'settings', run: machine.checkSettings },
  { name: 'secrets', run: machine.checkSecrets },
  { name: 'network', run: ({ config }) => checkNetwork(config) },
  { name: 'application', run: ({ config }) => checkAppName(config) },
  { name: 'port', run: checkListenPort },
  { name: 'webhooks', run: checkWebhooks },
  { name: 'folders', run: machine.checkFolders },
  { name: 'disk', run: machine.checkDisk },
  { name: 'store', run: checkStore },
  { name: 'content', run: checkContentFiles, timeoutMs: READ_TIMEOUT_MS },
  { name: 'releases', run: checkReleases, timeoutMs: READ_TIMEOUT_MS },
  { name: 'blocklist', run: checkBlocklist },
  { name: 'nodes', run: checkNodes, timeoutMs: READ_TIMEOUT_MS },
]
