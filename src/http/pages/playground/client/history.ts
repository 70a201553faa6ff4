import { buildPlaygroundPath, type Choice } from '../choice.ts'
import type { ChangeSource } from './form.ts'

interface Entry {
  readonly choice: Choice
  readonly hasFile: boolean
}

/** Keeps the choice in the URL of the page. The back button undoes one change; all typing in one field is one change. */
export function connectHistory(onRestore: (entry: Entry) => void) {
  let lastSource: ChangeSource
  addEventListener('popstate', ({ state }) => {
    lastSource = undefined
    if (state) onRestore(state as Entry)
  })
  return {
    /** Completes the URL that the visitor opened. */
    start: (choice: Choice) => history.replaceState({ choice, hasFile: false }, '', buildPlaygroundPath(choice)),
    save(entry: Entry, source: ChangeSource) {
      const path = buildPlaygroundPath(entry.choice)
      const isNew = path !== location.pathname.replace(/^.*\//, '') + location.search || entry.hasFile !== hasFile()
      const isSameEdit = source !== undefined && source === lastSource
      lastSource = source
      if (isSameEdit || !isNew) history.replaceState(entry, '', path)
      else history.pushState(entry, '', path)
    },
  }
}

const hasFile = () => (history.state as Entry | null)?.hasFile ?? false
