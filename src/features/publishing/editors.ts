import { join } from 'node:path'
import { acceptList, CONTENT_LIST, editBlocklist } from '../blocklist/index.ts'
import * as content from '../content/index.ts'
import * as releases from '../releases/index.ts'
import { APP_PREFIX } from './history.ts'

/** By prefix of file names: how these files are edited and validated, and how a removal of entries is confirmed. */
const editors = [
  { prefix: APP_PREFIX, folder: APP_PREFIX, edit: releases.editFiles, accept: releases.acceptShrinking },
  { prefix: CONTENT_LIST, folder: '', edit: editBlocklist, accept: acceptList },
  { prefix: '', folder: '', edit: content.editContent, accept: content.acceptShrinking },
]

/** Files of releases. They are written before the entry that names them, and never changed. */
export const ATTACHED_PREFIX = `${APP_PREFIX}files/`

/** Other files in CONTENT_DIR, such as notes of the operator, belong to this node. */
export const isPublishedFile = (file: string) =>
  file === CONTENT_LIST ||
  file.startsWith(ATTACHED_PREFIX) ||
  content.isContentFile(file) ||
  (file.startsWith(APP_PREFIX) && releases.isReleaseFile(file.slice(APP_PREFIX.length)))

/** `dir`: the folder that the names of the editor are relative to. */
export function findEditor(contentDir: string, file: string) {
  const { folder, ...editor } = editors.find(({ prefix }) => file.startsWith(prefix))!
  return {
    ...editor,
    dir: join(contentDir, folder),
    isApp: folder === APP_PREFIX,
    nameOf: (name: string) => name.slice(folder.length),
  }
}
