import { createButton, element, one } from '../../shared/client/dom.ts'
import type { Failure } from '../../shared/client/request.ts'
import type { StrengthFix } from './steps.ts'

/** How to fix an error, by its code. The message of the API says what is wrong. */
const ADVICE: Record<string, string> = {
  IMAGE_MISSING: 'Paste an image URL, or choose one of the animals.',
  IMAGE_URL_INVALID: 'Copy the address of the image itself. It starts with https:// or http://.',
  IMAGE_ADDRESS_FORBIDDEN:
    'Private networks and some ports are blocked, so that nobody can reach them through this service.',
  MEDIA_NOT_FOUND: 'Choose another animal.',
  IMAGE_UNREACHABLE: 'Open the URL in a new tab: does it show the image?',
  IMAGE_UNREADABLE: 'This may be the address of a page. Right-click the image and copy its address.',
  IMAGE_TYPE_UNSUPPORTED: 'This may be the address of a page. Right-click the image and copy its address.',
  IMAGE_TIMEOUT: 'Try again, or use a copy of the image on a faster host.',
  BUSY: 'Press “Try again” in a moment.',
}

const findAdvice = ({ code = '' }: Failure): string => ADVICE[code] ?? ''

interface Actions {
  readonly retry: () => void
  readonly findStrengthFix: () => StrengthFix | undefined
}

/** Shows an error with advice, and a button if one click can fix it. */
export function createErrorView({ retry, findStrengthFix }: Actions) {
  const root = one('[data-problem]')
  const createAction = (text: string, onClick: () => void) => createButton('press quiet', onClick, text)
  const createRetryButton = () => createAction('Try again', retry)

  function createFixButtons({ code }: Failure): Node[] {
    if (code === 'STRENGTH_OUT_OF_RANGE' || code === 'STRENGTH_NOT_A_NUMBER') {
      const fix = findStrengthFix()
      return fix ? [createAction(`Use ${fix.nearest} for ${fix.filter}`, fix.apply)] : []
    }
    return ['BUSY', 'IMAGE_TIMEOUT', 'IMAGE_UNREACHABLE'].includes(code ?? '') ? [createRetryButton()] : []
  }

  return {
    clear: () => root.replaceChildren(),
    show: (message: string) => root.replaceChildren(element('p', {}, message), createRetryButton()),
    showFailure(failure: Failure) {
      const sentences = [failure.message ?? '', findAdvice(failure)]
        .filter(Boolean)
        .map((text) => element('p', {}, text))
      root.replaceChildren(...sentences, ...createFixButtons(failure))
    },
  }
}
