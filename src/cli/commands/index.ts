import type { Command } from '../command.ts'
import { contentAccept } from './accept.ts'
import { banAdd, banLift, banList } from './ban.ts'
import { blocklistCheck, blocklistStatus, blocklistUpdate } from './blocklist.ts'
import { clientsGrant, clientsList, clientsRefuse, clientsRevoke } from './clients.ts'
import { completion } from './completion.ts'
import { contentAdd, contentCheck, contentList, contentSheet } from './content.ts'
import { doctor } from './doctor.ts'
import { filter } from './filter.ts'
import { health } from './health.ts'
import { init } from './init.ts'
import { newsAdd, newsList, newsRemove } from './news.ts'
import { releaseList, releasePublish, releaseRollout, releaseWithdraw, resourcesPublish } from './release.ts'
import { serve } from './serve.ts'
import { storeCopy, storeStatus } from './store.ts'
import { tierSet, tierShow } from './tier.ts'
import { tokenCreate, tokenList, tokenRevoke } from './token.ts'

/** In the order of the help and of docs/commands.md. */
export const commands: readonly Command[] = [
  serve,
  health,
  init,
  doctor,
  completion,
  contentList,
  contentAdd,
  contentCheck,
  contentAccept,
  contentSheet,
  filter,
  releasePublish,
  releaseList,
  releaseRollout,
  releaseWithdraw,
  resourcesPublish,
  newsAdd,
  newsList,
  newsRemove,
  tierShow,
  tierSet,
  clientsList,
  clientsGrant,
  clientsRefuse,
  clientsRevoke,
  tokenCreate,
  tokenList,
  tokenRevoke,
  banAdd,
  banList,
  banLift,
  blocklistStatus,
  blocklistCheck,
  blocklistUpdate,
  storeStatus,
  storeCopy,
]
