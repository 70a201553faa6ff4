import Type from 'typebox'
import * as imageErrors from '../../../errors/images.ts'
import { Busy, MediaNotFound, UnknownKind } from '../../../errors/index.ts'
import { filters } from '../../../features/filters/index.ts'
import { type Images, outputFormats } from '../../../features/images/index.ts'
import { get, type Route } from '../../kernel/route.ts'
import { Bytes, SuccessReply } from '../../kernel/schemas.ts'
import { createFilterHandler, filterNames, imageTypes } from './endpoint.ts'

const strengthRanges = filters
  .flatMap(({ name, strength }) =>
    strength ? [`${name} ${strength.min} to ${strength.max} (default: ${strength.default})`] : [],
  )
  .join(', ')

const query = {
  image: Type.String({
    description: 'Absolute URL of the image. Percent-encode the whole URL if it has `&`, `#`, `%`, `+` or spaces.',
    examples: ['https://example.com/cat.jpg'],
    isRequired: true,
  }),
  // Read as text, because invalid values have their own error codes.
  strength: Type.Unsafe<string>({
    type: 'number',
    description: `Strength of the filter: ${strengthRanges}. Ignored by other filters.`,
    readAs: 'text',
  }),
  output: Type.Enum([...outputFormats], {
    description: 'Format of the result. Default: the format of the source, or PNG for TIFF.',
  }),
  format: Type.Enum(['image', 'json'], { description: 'Overrides the `Accept` header. Without both: image.' }),
}

const fields = {
  message: Type.String({ description: 'Absolute URL of the filtered image.' }),
  item: Type.Object({
    type: Type.String({ description: 'Media type.', examples: ['image/png'] }),
    width: Type.Integer({ minimum: 1 }),
    height: Type.Integer({ minimum: 1 }),
    size: Bytes,
    pages: Type.Integer({ minimum: 1, description: 'Number of frames.' }),
  }),
}

export const filterErrors = [UnknownKind, MediaNotFound, Busy, ...Object.values(imageErrors)]

const FilterName = Type.Enum(filterNames, { description: 'Name of the filter.' })

const spec = {
  summary: 'Filtered image',
  description: filters.map(({ name, summary }) => `- **${name}**: ${summary}`).join('\n'),
  query,
  otherTypes: imageTypes,
  errors: filterErrors,
  bucket: 'filters' as const,
}

const V1_PATH = '/api/v1/filter'
const V2_PATH = '/api/v2/filter'

export function buildFilterRoutes(images: Images): Route[] {
  const handleV1 = createFilterHandler(images, V1_PATH, (endpoint) => ({ category: 'filter', endpoint }))
  const handleV2 = createFilterHandler(images, V2_PATH, (endpoint) => ({ info: { category: 'filter', endpoint } }))
  return [
    get(
      `${V1_PATH}/:endpoint`,
      {
        ...spec,
        tag: 'Image filters, v1',
        params: { endpoint: FilterName },
        reply: SuccessReply({ category: Type.Literal('filter'), endpoint: FilterName, ...fields }),
      },
      (ctx) => handleV1(ctx.params.endpoint, ctx),
    ),
    get(
      `${V2_PATH}/:type`,
      {
        ...spec,
        tag: 'Image filters, v2',
        params: { type: FilterName },
        reply: SuccessReply({
          info: Type.Object({ category: Type.Literal('filter'), endpoint: FilterName }),
          ...fields,
        }),
      },
      (ctx) => handleV2(ctx.params.type, ctx),
    ),
  ]
}
