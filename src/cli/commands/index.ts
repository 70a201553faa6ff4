import type { Command } from '../command.ts'
import * as backup from './backup.ts'
import * as ban from './ban.ts'
import * as blocklist from './blocklist.ts'
import * as clients from './clients.ts'
import * as completion from './completion.ts'
import * as content from './content.ts'
import * as contentFolder from './content-folder.ts'
import * as doctor from './doctor.ts'
import * as filter from './filter.ts'
import * as history from './history.ts'
import * as init from './init.ts'
import * as login from './login.ts'
import * as news from './news.ts'
import * as notify from './notify.ts'
import * as release from './release.ts'
import * as releaseControl from './release-control.ts'
import * as resources from './resources.ts'
import * as serve from './serve.ts'
import * as statistics from './statistics.ts'
import * as store from './store.ts'
import * as tier from './tier.ts'
import * as token from './token.ts'

/** Every export of these files is a command. In the order of the help and of docs/commands.md. */
const files: Record<string, readonly Record<string, Command>[]> = {
  'Set up and run': [init, serve, doctor, login, completion],
  'Pictures and texts': [content, contentFolder, filter],
  Releases: [release, releaseControl, resources],
  'News, patron tiers and history': [news, tier, history],
  Statistics: [statistics],
  'Access and bans': [clients, token, ban, blocklist],
  'Store, backups and notifications': [store, backup, notify],
}

export const topics: Readonly<Record<string, readonly Command[]>> = Object.fromEntries(
  Object.entries(files).map(([topic, modules]) => [topic, modules.flatMap((file) => Object.values(file))]),
)

export const commands: readonly Command[] = Object.values(topics).flat()

/** What `menagerie` without arguments shows, in the order in which a new operator needs them. */
export const mostUsed: readonly Command[] = [
  init.init,
  serve.serve,
  doctor.doctor,
  content.contentAdd,
  content.contentList,
  release.releasePublish,
  release.releaseList,
  news.newsAdd,
  token.tokenCreate,
  history.historyUndo,
]
