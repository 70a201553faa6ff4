import { stat } from 'node:fs/promises'
import { settings as definitions, listSettings, type SettingName } from '../../config/config.ts'
import { isTooOld, OLDEST_NODE } from '../oldest-node.ts'
import { count } from '../text.ts'
import { advice, type Check, ok, orOk, wrong } from './check.ts'

const OTHERS_READ = 0o004
/** Permissions are no bits on Windows. */
const hasModes = process.platform !== 'win32'

export const settingsCheck: Check = {
  name: 'settings',
  look: ({ settings: { problems, misspelled: mistyped, namesSet: given } }) =>
    orOk(
      [
        ...problems.map(({ name, message }) => wrong(message, mendOf(name))),
        ...mistyped.map(({ name, meant }) =>
          advice(
            `The environment sets ${name}, which is no setting and has no effect.`,
            `${meant}=…, if that was meant`,
          ),
        ),
      ],
      `${count(given.length, 'setting')} given, and right; the others have their defaults.`,
    ),
}

const mendOf = (name: string) =>
  Object.hasOwn(definitions, name)
    ? `${name}=${definitions[name as SettingName].default}`
    : `take ${name} out of .env, or give it its right name`

export const secretsCheck: Check = {
  name: 'secrets',
  async look({ settings: { namesInFile: inFile, file }, config: { DATA_DIR } }) {
    const secrets = listSettings().flatMap(([name, { secret }]) => (secret && inFile.includes(name) ? [name] : []))
    const [env, data] = await Promise.all([file, DATA_DIR].map((path) => stat(path).catch(() => undefined)))
    const isOpen = (mode = 0) => hasModes && (mode & OTHERS_READ) !== 0
    return orOk(
      [
        secrets.length > 0 &&
          isOpen(env?.mode) &&
          wrong(`Every user of this machine can read ${secrets.join(' and ')} in ${file}.`, `chmod 600 ${file}`),
        isOpen(data?.mode) &&
          advice(
            'Every user of this machine can look into DATA_DIR: who asked for a key, and how to reach them.',
            `chmod 700 ${DATA_DIR}`,
          ),
      ],
      'No other user of this machine can read what is secret.',
    )
  },
}

export const nodeCheck: Check = {
  name: 'node',
  look: () =>
    isTooOld(process.versions.node)
      ? [
          wrong(
            `Node ${process.versions.node} is older than ${OLDEST_NODE}.`,
            'install Node 24 or 26, the long-term lines',
          ),
        ]
      : [ok(`Node ${process.versions.node} runs this.`)],
}
