import Type from 'typebox'
import type { Images } from '../../../features/images/index.ts'
import { get, type Route } from '../../kernel/route.ts'
import { SuccessReply } from '../../kernel/schemas.ts'
import { filterEndpoint, filterNames, filterQuery, filterTable, imageTypes } from './endpoint.ts'
import { filterErrors } from './errors.ts'
import { filterFields } from './schemas.ts'

const PATH = '/api/v1/filter'

export function filter(images: Images): Route[] {
  const answer = filterEndpoint(images, PATH, (endpoint, fields) => ({
    success: true,
    status: 200,
    category: 'filter',
    endpoint,
    ...fields,
  }))
  return [
    get(
      `${PATH}/:endpoint`,
      {
        tag: 'Image filters, v1',
        summary: 'A picture, filtered',
        description: filterTable,
        params: { endpoint: Type.Enum(filterNames) },
        query: filterQuery,
        reply: SuccessReply({ category: Type.Literal('filter'), endpoint: Type.Enum(filterNames), ...filterFields }),
        otherTypes: imageTypes,
        errors: filterErrors,
        bucket: 'filters',
      },
      (ctx) => answer(ctx.params.endpoint, ctx),
    ),
  ]
}
