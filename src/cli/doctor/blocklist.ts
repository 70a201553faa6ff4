import { withBlocklist } from '../open.ts'
import { count, moment } from '../text.ts'
import { advice, type Check, ok, wrong } from './check.ts'

const HOUR_MS = 3_600_000
/** The shortest that a list may be behind without anything being wrong: it is fetched again after a failure, too. */
const SLACK_HOURS = 24

export const blocklistCheck: Check = {
  name: 'blocklist',
  look: ({ config, command }) =>
    withBlocklist(config, async (blocklist) => {
      const { BLOCKLIST_URL, BLOCKLIST_REFRESH_HOURS: every } = config
      const [problem, facts] = [blocklist.problem(), blocklist.info()]
      const update = command(`blocklist update ${BLOCKLIST_URL ? '"$BLOCKLIST_URL"' : '<URL or file>'}`)
      if (problem) return [wrong(`${problem[0]?.toUpperCase()}${problem.slice(1)}.`, update)]
      if (!facts) return [advice('There is no blocking list: images of every public host are fetched.', update)]
      const hours = (Date.now() - Date.parse(facts.modifiedAt)) / HOUR_MS
      const told = `${count(facts.entries, 'entry', 'entries')} in force (${facts.source}), of ${moment(facts.modifiedAt)}`
      if (facts.entries === 0) {
        return [advice(`${told}: images of every public host are fetched.`, update)]
      }
      if (BLOCKLIST_URL && every > 0 && hours > every + SLACK_HOURS) {
        return [advice(`${told}; it should be new every ${every} hours, while the service runs.`, update)]
      }
      return [ok(`${told}.`)]
    }),
}
