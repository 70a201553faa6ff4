import type { Failure } from '../../shared/client/ask.ts'
import { element, one } from '../../shared/client/dom.ts'
import { adviceOn } from './advice.ts'

interface Ways {
  readonly again: () => void
  readonly setStrength: (value: number) => void
}

/** What went wrong, in sentences, with a button where one press mends it. */
export function createTrouble({ again, setStrength }: Ways) {
  const root = one('[data-trouble]')
  const press = (text: string, work: () => void) => {
    const made = element('button', { type: 'button', className: 'press quiet' }, text)
    made.addEventListener('click', work)
    return made
  }
  const retry = () => press('Try again', again)

  function waysOut({ code, min = 0, max = 0 }: Failure): Node[] {
    if (code === 'STRENGTH_OUT_OF_RANGE' || code === 'STRENGTH_NOT_A_NUMBER') {
      const given = Number(one<HTMLInputElement>('#strength').value)
      const nearest = given < min ? min : max
      return [press(`Use ${nearest}`, () => setStrength(nearest))]
    }
    return ['BUSY', 'IMAGE_TIMEOUT', 'IMAGE_UNREACHABLE'].includes(code ?? '') ? [retry()] : []
  }

  return {
    clear: () => root.replaceChildren(),
    show: (message: string) => root.replaceChildren(element('p', {}, message), retry()),
    showFailure(failure: Failure) {
      const sentences = [failure.message ?? '', adviceOn(failure)].filter(Boolean).map((text) => element('p', {}, text))
      root.replaceChildren(...sentences, ...waysOut(failure))
    },
  }
}
