// Image filters.
import { defineError, oneOf } from './define.ts'

export const ImageMissing = defineError('IMAGE_MISSING', 400, 'The parameter "image" is mandatory.', () => ({
  message: 'The parameter "image" is missing; give the URL of a picture, percent-encoded.',
}))

export const ImageUrlInvalid = defineError(
  'IMAGE_URL_INVALID',
  400,
  'The image is not an absolute http(s) URL, is too long, or holds credentials.',
  (why: string) => ({ message: `The image URL ${why}; give an absolute http or https URL without credentials.` }),
)

export const StrengthNotANumber = defineError(
  'STRENGTH_NOT_A_NUMBER',
  400,
  'The strength is not a finite decimal number.',
  (min: number, max: number, usual: number) => ({
    message: `The strength must be a decimal number from ${min} to ${max}, such as ${usual}.`,
    min,
    max,
  }),
)

export const StrengthOutOfRange = defineError(
  'STRENGTH_OUT_OF_RANGE',
  400,
  'The strength is below or above what this filter takes.',
  (min: number, max: number) => ({ message: `The strength must be from ${min} to ${max}.`, min, max }),
)

export const ImageHostBlocked = defineError(
  'IMAGE_HOST_BLOCKED',
  403,
  'The host of the image, or a parent domain of it, is on the blocking list.',
  (host: string) => ({ message: `Pictures of "${host.slice(0, 253)}" are blocked here; use another source.`, host }),
)

/** Says no address: what a name resolved to inside the network is not for strangers. */
export const ImageAddressForbidden = defineError(
  'IMAGE_ADDRESS_FORBIDDEN',
  403,
  'The image is not on the public internet, by whatever spelling, DNS answer or redirect.',
  (why = 'is not on the public internet') => ({
    message: `The address of the image ${why}; use a picture that anyone can reach.`,
  }),
)

export const ImageTooLarge = defineError(
  'IMAGE_TOO_LARGE',
  413,
  'The image has more bytes than the service reads.',
  (max: number) => ({ message: `The image is larger than ${max} bytes.`, max }),
)

export const ImageTooManyPixels = defineError(
  'IMAGE_TOO_MANY_PIXELS',
  413,
  'The image has more pixels or frames than the service decodes.',
  (what: 'pixels over all frames' | 'frames' | 'pixels a side', max: number) => ({
    message: `The image has more than ${max} ${what}; choose a smaller one.`,
    max,
  }),
)

export const ImageTypeUnsupported = defineError(
  'IMAGE_TYPE_UNSUPPORTED',
  415,
  'The source is of a type that the service does not read, such as SVG, PDF or HTML.',
  (type: string, allowed: string[]) => ({ message: `The source is ${type}; ${oneOf(allowed)}.`, allowed }),
)

export const ImageUnreadable = defineError(
  'IMAGE_UNREADABLE',
  422,
  'The source is not an image, or a broken one.',
  (why: string) => ({ message: `The image cannot be read: ${why}.` }),
)

export const ImageUnreachable = defineError(
  'IMAGE_UNREACHABLE',
  502,
  'The source cannot be reached, or answers with an error.',
  (sourceStatus: number | null, why = `answered with status ${sourceStatus}`) => ({
    message: `The source of the image ${why}; check the URL, or try again later.`,
    sourceStatus,
  }),
)

export const Busy = defineError('BUSY', 503, 'More images are waiting than can be queued.', (retryAfter: number) => ({
  message: `Too much is waiting; try again in ${retryAfter} s.`,
  retryAfter,
}))

export const ImageTimeout = defineError(
  'IMAGE_TIMEOUT',
  504,
  'The source of the image was too slow.',
  (max: number) => ({ message: `The source of the image took longer than ${max} ms.`, max }),
)
