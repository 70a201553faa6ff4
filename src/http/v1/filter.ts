import Type from 'typebox'
import type { Images } from '../../images/index.ts'
import { filterEndpoint, filterNames, filterQuery, filterTable, imageTypes } from '../filters/endpoint.ts'
import { filterErrors } from '../filters/errors.ts'
import { filterFields } from '../filters/schemas.ts'
import { get, type Route } from '../route.ts'
import { SuccessReply } from '../schemas.ts'

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
        purse: 'filters',
      },
      (exchange) => answer(exchange.params.endpoint, exchange),
    ),
  ]
}
