// Image filters.
import { defineError, quote, useOneOf } from './define.ts'

const MAX_HOST_CHARACTERS = 253

export const ImageMissing = defineError('IMAGE_MISSING', 400, {
  summary: 'The parameter "image" is missing.',
  describe: () => 'The parameter "image" is required. Send the percent-encoded URL of an image.',
})

export const ImageUrlInvalid = defineError('IMAGE_URL_INVALID', 400, {
  summary: 'The image URL is not an absolute http(s) URL, is too long, or contains credentials.',
  example: ['is not an absolute URL'],
  describe: (problem: string) => `The image URL ${problem}. Use an absolute http or https URL without credentials.`,
})

export const StrengthNotANumber = defineError('STRENGTH_NOT_A_NUMBER', 400, {
  summary: 'The strength is not a decimal number.',
  example: [-1, 1, 0.1],
  describe: (min: number, max: number, example: number) => ({
    message: `The strength must be a decimal number from ${min} to ${max}, such as ${example}.`,
    min,
    max,
  }),
})

export const StrengthOutOfRange = defineError('STRENGTH_OUT_OF_RANGE', 400, {
  summary: 'The strength is outside the range of this filter.',
  example: [-1, 1],
  describe: (min: number, max: number) => ({ message: `The strength must be from ${min} to ${max}.`, min, max }),
})

export const ImageHostBlocked = defineError('IMAGE_HOST_BLOCKED', 403, {
  summary: 'The host of the image, or one of its parent domains, is on the blocklist.',
  example: ['ads.example'],
  describe: (host: string) => ({
    message: `Images from ${quote(host, MAX_HOST_CHARACTERS)} are blocked. Use another source.`,
    host,
  }),
})

/** The message never contains an address: clients must not learn what a name resolves to inside the network. */
export const ImageAddressForbidden = defineError('IMAGE_ADDRESS_FORBIDDEN', 403, {
  summary:
    'The image URL, its DNS records or a redirect lead to an address that is not on the public internet, to a port that ' +
    'is not allowed, or to this service but not below /media.',
  describe: (problem?: string) =>
    problem
      ? `The image URL ${problem}. Use another URL.`
      : 'The address of the image is not on the public internet. Use an image on the public internet.',
})

export const ImageTooLarge = defineError('IMAGE_TOO_LARGE', 413, {
  summary: 'The image, or the result, has more bytes than the service accepts.',
  example: [10_485_760],
  describe: (max: number, subject: 'image' | 'result' = 'image') => ({
    message: `The ${subject} is larger than ${max} bytes. ${
      subject === 'image' ? 'Use a smaller image.' : 'Use a smaller size, or another output format.'
    }`,
    max,
  }),
})

export const ImageTooManyPixels = defineError('IMAGE_TOO_MANY_PIXELS', 413, {
  summary: 'The image has more pixels or frames than the service accepts.',
  example: ['pixels per side', 65_535],
  describe: (unit: 'pixels over all frames' | 'frames' | 'pixels per side', max: number) => ({
    message: `The image has more than ${max} ${unit}. Use a smaller image.`,
    max,
  }),
})

export const ImageTypeUnsupported = defineError('IMAGE_TYPE_UNSUPPORTED', 415, {
  summary: 'The source has an unsupported format, such as SVG, PDF or HTML.',
  example: ['SVG', ['png', 'jpeg', 'webp', 'gif']],
  describe: (type: string, allowed: string[]) => ({
    message: `The source is ${type}, which is not supported. ${useOneOf(allowed)}`,
    allowed,
  }),
})

export const ImageUnreadable = defineError('IMAGE_UNREADABLE', 422, {
  summary:
    'The source is not an image, is damaged, takes too long or too much memory to decode, or crashes the decoder.',
  example: ['the file is truncated'],
  describe: (problem: string) => `The image cannot be read: ${problem}. Use another image.`,
})

export const CannotFit = defineError('CANNOT_FIT', 422, {
  summary: 'The result cannot be reduced to `maxBytes`.',
  example: [1000],
  describe: (max: number) => ({ message: `The result does not fit into ${max} bytes. Allow more bytes.`, max }),
})

export const ImageUnreachable = defineError('IMAGE_UNREACHABLE', 502, {
  summary: 'The source cannot be reached, or replied with an error.',
  example: [404],
  describe: (sourceStatus: number | null, problem = `replied with status ${sourceStatus}`) => ({
    message: `The source of the image ${problem}. Check the URL, or retry later.`,
    sourceStatus,
  }),
})

export const ImageTimeout = defineError('IMAGE_TIMEOUT', 504, {
  summary: 'The source of the image did not reply in time.',
  example: [5000],
  describe: (max: number) => ({
    message: `The source of the image took longer than ${max} ms. Retry later, or use another source.`,
    max,
  }),
})
