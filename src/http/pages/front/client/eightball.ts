import { one, prefersStillness } from '../../shared/client/dom.ts'
import { onSubmit } from './kinds.ts'
import { createPanel } from './panel.ts'

const SHAKING_MS = 900

/** The ball turns while it thinks, at least long enough to be seen; where motion is not wanted it answers at once. */
export function eightball(): void {
  let shaken: Promise<void> = Promise.resolve()
  const panel = createPanel<{ message: string }>('eightball', {
    path: () => 'api/v2/random/string/8ball',
    show: async ({ body }) => {
      await shaken
      answer.textContent = body.message
    },
  })
  const ball = one('[data-ball]', panel.root)
  const answer = one('[data-answer]', panel.root)
  onSubmit(panel.root, async () => {
    if (!prefersStillness()) {
      shaken = new Promise((done) => setTimeout(done, SHAKING_MS))
      ball.classList.add('shaking')
    }
    answer.textContent = ''
    await panel.refresh()
    await shaken
    ball.classList.remove('shaking')
  })
}
