import type { Failure } from '../../shared/client/ask.ts'

/** What to do, by the code of the error; the API's own message says what is wrong. */
const ADVICE: Record<string, string> = {
  IMAGE_MISSING: 'Paste the URL of a picture, or choose one of our animals.',
  IMAGE_URL_INVALID: 'Copy the address of the picture itself: it starts with https:// or http://.',
  IMAGE_ADDRESS_FORBIDDEN:
    'Addresses at home or inside a company are refused, so that nobody can look into private networks through this service.',
  MEDIA_NOT_FOUND: 'Choose another one of our animals.',
  IMAGE_UNREACHABLE: 'Open the URL in a tab of its own: does it show the picture to you?',
  IMAGE_UNREADABLE:
    'Is it the address of the picture, or of the page around it? Right-click the picture and copy its address.',
  IMAGE_TYPE_UNSUPPORTED:
    'Is it the address of the picture, or of the page around it? Right-click the picture and copy its address.',
  IMAGE_TIMEOUT: 'Try again, or use a copy of the picture on a faster host.',
  BUSY: 'It goes on in a moment; press “Try again”.',
}

export const adviceOn = ({ code = '' }: Failure): string => ADVICE[code] ?? ''
