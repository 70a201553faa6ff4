import type { Command } from '../command.ts'
import { banAdd, banLift, banList } from './ban.ts'
import { blocklistCheck, blocklistStatus, blocklistUpdate } from './blocklist.ts'
import { clientsGrant, clientsList, clientsRefuse, clientsRevoke } from './clients.ts'
import { completion } from './completion.ts'
import { contentAdd } from './content/add.ts'
import { contentCheck } from './content/check.ts'
import { contentList } from './content/list.ts'
import { contentSheet } from './content/sheet.ts'
import { doctor } from './doctor.ts'
import { filter } from './filter.ts'
import { init } from './init.ts'
import { newsAdd, newsList, newsRemove } from './news.ts'
import { releaseRollout, releaseWithdraw } from './release/change.ts'
import { releaseList } from './release/list.ts'
import { releasePublish } from './release/publish.ts'
import { resourcesPublish } from './resources.ts'
import { serve } from './serve.ts'
import { storeCopy, storeStatus } from './store.ts'
import { tierSet, tierShow } from './tier.ts'
import { tokenCreate, tokenList, tokenRevoke } from './token.ts'

/** In the order in which the help and docs/commands.md show them. */
export const commands: readonly Command[] = [
  serve,
  ...[init, doctor, completion],
  ...[contentList, contentAdd, contentCheck, contentSheet],
  filter,
  ...[releasePublish, releaseList, releaseRollout, releaseWithdraw],
  resourcesPublish,
  ...[newsAdd, newsList, newsRemove],
  ...[tierShow, tierSet],
  ...[clientsList, clientsGrant, clientsRefuse, clientsRevoke],
  ...[tokenCreate, tokenList, tokenRevoke],
  ...[banAdd, banList, banLift],
  ...[blocklistStatus, blocklistCheck, blocklistUpdate],
  ...[storeStatus, storeCopy],
]
