import type { Command } from '../command.ts'
import * as backup from './backup.ts'
import * as ban from './ban.ts'
import * as blocklist from './blocklist.ts'
import * as clients from './clients.ts'
import * as completion from './completion.ts'
import * as content from './content.ts'
import * as contentFolder from './content-folder.ts'
import * as doctor from './doctor.ts'
import * as downloads from './downloads.ts'
import * as filter from './filter.ts'
import * as history from './history.ts'
import * as init from './init.ts'
import * as list from './list.ts'
import * as login from './login.ts'
import * as news from './news.ts'
import * as notify from './notify.ts'
import * as release from './release.ts'
import * as releaseControl from './release-control.ts'
import * as resources from './resources.ts'
import * as serve from './serve.ts'
import * as store from './store.ts'
import * as tier from './tier.ts'
import * as token from './token.ts'

const general = [serve, init, doctor, completion, login]
const groups = [
  content,
  contentFolder,
  list,
  filter,
  release,
  releaseControl,
  resources,
  news,
  tier,
  history,
  downloads,
  clients,
  token,
  ban,
  blocklist,
  store,
  backup,
  notify,
]

/** Every export of these files is a command. In the order of the help and of docs/commands.md. */
export const commands = [...general, ...groups].flatMap((file): Command[] => Object.values(file))
