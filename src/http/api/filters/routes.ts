import Type from 'typebox'
import * as imageErrors from '../../../errors/images.ts'
import { Busy, CannotFit, MediaNotFound, UnknownKind } from '../../../errors/index.ts'
import { artistKinds } from '../../../features/content/index.ts'
import { filters, MAX_STEPS, type StrengthRange, strengthRanges } from '../../../features/filters/index.ts'
import { fits, type Images, MAX_REQUESTED_SIDE, outputFormats } from '../../../features/images/index.ts'
import { get, type Route } from '../../kernel/route.ts'
import { Bytes, EXAMPLE_BASE, SuccessReply, Text } from '../../kernel/schemas.ts'
import { CHAIN, createFilterHandler, filterNames, imageTypes } from './endpoint.ts'

const describeStrength = (title: string, { min, max, default: value }: StrengthRange) => ({
  title,
  type: 'number',
  minimum: min,
  maximum: max,
  default: value,
})

const query = {
  image: Type.String({
    description: 'Absolute URL of the image. Percent-encode the whole URL if it has `&`, `#`, `%`, `+` or spaces.',
    examples: ['https://example.com/cat.jpg'],
    isRequired: true,
  }),
  // Read as text, because invalid values have their own error codes.
  strength: Type.Unsafe<string>({
    anyOf: filters.flatMap(({ name, strength }) => (strength ? describeStrength(name, strength) : [])),
    description: `Strength of the filter: ${strengthRanges}. Ignored by other filters.`,
    readAs: 'text',
  }),
  output: Type.Enum([...outputFormats], {
    description:
      'Format of the result. Default: the format of the source, but PNG for TIFF. If a side exceeds the maximum of ' +
      'the format, the result is PNG. Only GIF and WebP keep all frames of an animation.',
  }),
  format: Type.Enum(['image', 'json'], {
    description: 'Overrides the `Accept` header. If neither is sent, the reply is an image.',
  }),
}

const side = { minimum: 1, maximum: MAX_REQUESTED_SIDE }

/** Query parameters of v2 only. */
export const v2Query = {
  ...query,
  steps: Type.String({
    description:
      `For \`chain\`: up to ${MAX_STEPS} filters, separated by commas, each as \`name\` or \`name:strength\`. Without ` +
      'filters, the image is only resized.',
    examples: ['greyscale,blur:5,contrast:0.2'],
    maxLength: 200,
  }),
  width: Type.Integer({
    ...side,
    description:
      'Width in pixels. The image is resized before it is filtered, and never enlarged. Default: follows from ' +
      '`height` and the proportions.',
  }),
  height: Type.Integer({
    ...side,
    description: 'Height in pixels. Default: follows from `width` and the proportions.',
  }),
  fit: Type.Enum([...fits], {
    description:
      'How to fit into `width` and `height`. `inside`: as large as possible. `cover`: fills both and crops; an image ' +
      'that is too small to fill them stays smaller. `contain`: as `inside`, then padded to the exact size ' +
      '(transparent, or white in a JPEG). Default: inside.',
  }),
  maxBytes: Type.Integer({
    minimum: 1,
    maximum: 64 * 2 ** 20,
    description:
      'Reduces quality, then width and height, until the result has at most this many bytes. A lossless WebP may ' +
      'become lossy.',
  }),
  fallback: Type.Enum([...artistKinds], {
    description:
      'If the image cannot be fetched or processed, the reply is a drawing of this animal with status 200 and the error ' +
      'code in `X-Fallback`. With `format=json`, the reply is the error.',
  }),
}

const fields = {
  message: Text(
    'Absolute URL of the filtered image.',
    `${EXAMPLE_BASE}/api/v2/filter/blur?image=https%3A%2F%2Fexample.com%2Fcat.jpg`,
  ),
  item: Type.Object(
    {
      type: Type.String({ description: 'Media type.', pattern: '^image/', examples: ['image/png'] }),
      width: Type.Integer({ minimum: 1, examples: [512] }),
      height: Type.Integer({ minimum: 1, examples: [512] }),
      size: Bytes,
      pages: Type.Integer({ minimum: 1, description: 'Number of frames.', examples: [1] }),
    },
    { component: 'FilteredImage' },
  ),
}

export const filterErrors = [UnknownKind, MediaNotFound, Busy, ...Object.values(imageErrors)]

const FilterName = Type.Enum(filterNames, { description: 'Name of the filter.' })
const v2Names = [...filterNames, CHAIN]
const V2FilterName = Type.Enum(v2Names, { description: 'Name of the filter, or `chain`.' })

const spec = {
  summary: 'Filtered image',
  description: filters.map(({ name, summary }) => `- **${name}**: ${summary}`).join('\n'),
  query,
  otherTypes: imageTypes,
  bucket: 'filters' as const,
}

const V1_PATH = '/api/v1/filter'
const V2_PATH = '/api/v2/filter'

export function buildFilterRoutes(images: Images): Route[] {
  const handleV1 = createFilterHandler(images, V1_PATH, filterNames, (endpoint) => ({ category: 'filter', endpoint }))
  const handleV2 = createFilterHandler(images, V2_PATH, v2Names, (endpoint) => ({
    info: { category: 'filter', endpoint },
  }))
  return [
    get(`${V2_PATH}/:kind`, {
      ...spec,
      description: `${spec.description}\n- **${CHAIN}**: Applies the filters of \`steps\` one after the other.`,
      query: v2Query,
      errors: filterErrors,
      tag: 'Image filters, v2',
      params: { kind: V2FilterName },
      reply: SuccessReply({
        info: Type.Object({ category: Type.Literal('filter'), endpoint: V2FilterName }),
        ...fields,
      }),
      handle: handleV2,
    }),
    get(`${V1_PATH}/:kind`, {
      ...spec,
      tag: 'Image filters, v1',
      // Only v2 has `maxBytes`.
      errors: filterErrors.filter((error) => error !== CannotFit),
      params: { kind: FilterName },
      reply: SuccessReply({ category: Type.Literal('filter'), endpoint: FilterName, ...fields }),
      handle: handleV1,
    }),
  ]
}
