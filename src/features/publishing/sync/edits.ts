// Publishes what was edited in the folder of this node with an editor.
import { copyFile, mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isPicture } from '../../content/index.ts'
import { ATTACHED_PREFIX, findEditor } from '../editors.ts'
import { APP_PREFIX, HISTORY_FOLDER, openHistory } from '../history.ts'
import { createRecorder } from '../record.ts'
import type { Sync } from './sync.ts'

interface EditsOptions {
  readonly contentDir: string
  readonly dataDir: string
  readonly sync: Sync
  readonly by: string
}

/**
 * First restores the published files, then makes the edits again as changes with the usual checks, so that they are in
 * the history. If one is refused, the edits are in the folder again as they were. Returns the names of the files.
 */
export async function publishEdits({ contentDir, dataDir, sync, by }: EditsOptions): Promise<string[]> {
  await sync.update()
  const { edited, attached } = await sync.checkFolder()
  const hasReleases = edited.some((file) => file.startsWith(APP_PREFIX))
  const files = hasReleases ? [...attached, ...edited] : edited
  // On the disk of the content, so that files of releases can be moved.
  const copies = join(contentDir, APP_PREFIX, '.incoming/edits')
  const copyOf = (file: string) => join(copies, file.replaceAll('/', '_'))
  await mkdir(copies, { recursive: true })
  for (const file of files) await copyFile(join(contentDir, file), copyOf(file))
  await sync.discard(files)
  const history = openHistory(join(dataDir, HISTORY_FOLDER))
  const record = createRecorder({ history, contentDir, sync })
  const groups = Map.groupBy(files, (file) => findEditor(contentDir, file).prefix)
  try {
    for (const [prefix, group] of groups) {
      const { dir, edit, isApp, nameOf } = findEditor(contentDir, group[0]!)
      const about = { change: 'content edits', subject: group.length === 1 ? group[0]! : `${group.length} files` }
      await record(about, isApp, { by }, (options) =>
        edit(dir, options, async ({ write, move }) => {
          for (const file of group) {
            const name = nameOf(file)
            if (file.startsWith(ATTACHED_PREFIX)) move({ from: copyOf(file), file: name })
            else await write(name, await readFile(copyOf(file), isPicture(file) ? null : 'utf8'))
          }
          return {}
        }),
      )
      groups.delete(prefix)
    }
  } catch (error) {
    for (const file of [...groups.values()].flat()) await copyFile(copyOf(file), join(contentDir, file))
    throw error
  }
  await rm(copies, { recursive: true, force: true })
  return files
}
