// The generated files: written at the start, and again when what they tell changes.
import type { SelfDescription } from '../http/api/about.ts'
import type { Log } from '../platform/logging/index.ts'
import type { Services } from './services.ts'

const STATISTICS_EVERY_MS = 60_000

/** Of several processes on one folder only one `writes`. */
export async function publishGenerated(
  services: Services,
  self: SelfDescription,
  log: Log,
  { writes }: { writes: boolean },
) {
  const { generated, content, statistics } = services
  let writing = Promise.resolve()

  /** One at a time, so that the newest is what stays. */
  const write = (work: () => Promise<unknown>) => {
    if (!writes) return writing
    writing = writing.then(work).then(
      () => {},
      (error) => log.warn({ err: error }, 'a generated file cannot be written'),
    )
    return writing
  }
  const describe = () => {
    self.refresh()
    return write(() =>
      Promise.all([
        generated.put('openapi.json', self.document()),
        generated.put('endpoints.json', self.endpoints()),
        generated.put('errors.json', self.errors()),
        generated.put('catalogue.json', content.catalogue()),
      ]),
    )
  }
  const snapshot = () => write(async () => generated.put('statistics/downloads.json', await statistics.downloads()))

  await describe()
  void snapshot()
  const forget = content.onChange(() => void describe())
  const timer = setInterval(snapshot, STATISTICS_EVERY_MS)
  timer.unref()
  return {
    close: async () => {
      forget()
      clearInterval(timer)
      await writing
    },
  }
}
