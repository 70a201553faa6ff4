import Type from 'typebox'
import { UnknownFile } from '../../errors/index.ts'
import { formatFileSchema, schemaNames } from '../../features/schemas/index.ts'
import { compressible } from '../kernel/compress.ts'
import { cache, prepareReply, type Reply, text } from '../kernel/replies.ts'
import { get, type Route } from '../kernel/route.ts'

const PATH = '/schemas'
const files = new Map(schemaNames.map((name) => [`${name}.json`, name]))

/** JSON Schemas of the content files, for editors of operators. */
export function buildFileSchemaRoute(): Route {
  const replies = new Map<string, Reply>()
  return get(`${PATH}/:file`, {
    tag: 'Developer information',
    summary: 'JSON Schema of a content file',
    description:
      'Editors check and complete YAML files with it. Starter content has the same schemas in `schemas/`, so that they ' +
      'also work offline.',
    params: { file: Type.Enum([...files.keys()], { description: 'Name of the schema.' }) },
    reply: Type.Object(
      {},
      {
        additionalProperties: true,
        examples: [
          { $schema: 'http://json-schema.org/draft-07/schema#', title: 'Tiers: app/tiers.yaml', type: 'object' },
        ],
      },
    ),
    errors: [UnknownFile],
    handle: ({ params: { file } }) => {
      const name = files.get(file)
      if (name === undefined) throw new UnknownFile(PATH)
      const known = replies.get(file)
      if (known) return known
      const schema = text(formatFileSchema(name), 'application/json; charset=utf-8', { cache: cache.short })
      const reply = prepareReply(compressible(schema))
      replies.set(file, reply)
      return reply
    },
  })
}
