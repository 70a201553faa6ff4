import { availableParallelism } from 'node:os'
import { advice, type Check, type Finding, orOk, wrong } from './check.ts'

export const processesCheck: Check = {
  name: 'processes',
  look: ({ config }) => judgeProcesses(config.WORKERS, config.STORE_URL, availableParallelism()),
}

export const judgeProcesses = (number: number, storeUrl: string, cores: number): readonly Finding[] =>
  orOk(
    [
      number > 1 &&
        !storeUrl.startsWith('redis') &&
        wrong(
          `WORKERS is ${number}, and processes cannot share a store in SQLite.`,
          'STORE_URL=redis://127.0.0.1:6379, or WORKERS=1',
        ),
      number > cores &&
        advice(
          `WORKERS is ${number}, and this machine has ${cores} cores: more processes only take more memory.`,
          `WORKERS=${cores}`,
        ),
    ],
    `${number === 1 ? 'One process' : `${number} processes`} on ${cores} cores.`,
  )
