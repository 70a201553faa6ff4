import Type from 'typebox'
import type { Images } from '../../../features/images/index.ts'
import { get, type Route } from '../../kernel/route.ts'
import { SuccessReply } from '../../kernel/schemas.ts'
import { filterEndpoint, filterNames, filterQuery, filterTable, imageTypes } from './endpoint.ts'
import { filterErrors } from './errors.ts'
import { filterFields } from './schemas.ts'

const PATH = '/api/v2/filter'

export function filter(images: Images): Route[] {
  const answer = filterEndpoint(images, PATH, (endpoint, fields) => ({
    success: true,
    status: 200,
    info: { category: 'filter', endpoint },
    ...fields,
  }))
  const info = Type.Object({ category: Type.Literal('filter'), endpoint: Type.Enum(filterNames) })
  return [
    get(
      `${PATH}/:type`,
      {
        tag: 'Image filters, v2',
        summary: 'A picture, filtered',
        description: filterTable,
        params: { type: Type.Enum(filterNames) },
        query: filterQuery,
        reply: SuccessReply({ info, ...filterFields }),
        otherTypes: imageTypes,
        errors: filterErrors,
        bucket: 'filters',
      },
      (ctx) => answer(ctx.params.type, ctx),
    ),
  ]
}
