import Type from 'typebox'
import { NothingMatches, UnknownKind } from '../../../errors/index.ts'
import type { Category, Content } from '../../../features/content/index.ts'
import { get, type Route } from '../../kernel/route.ts'
import { CurrentEnum, SuccessReply } from '../../kernel/schemas.ts'
import { mediaTypes } from '../media.ts'
import { randomEndpoint, type WriteJson } from './endpoint.ts'
import { type Item, messageJsonOf } from './item-json.ts'
import { format, seed } from './options.ts'

const GROUPS: readonly { category: Category; path: string; summary: string }[] = [
  { category: 'animals', path: 'animals', summary: 'A random animal' },
  { category: 'string', path: 'string', summary: 'A random text' },
  { category: 'kaomoji', path: 'kaomoji', summary: 'A random kaomoji' },
]

const writeJson: WriteJson = (category, kind, picked, base) => {
  const message = messageJsonOf(picked as Item, base)
  return `{"success":true,"status":200,"category":"${category}","endpoint":"${kind}","message":${message}}`
}

/** v1: flat replies, one item each. */
export function random(content: Content): Route[] {
  return GROUPS.map(({ category, path, summary }) => {
    const answer = randomEndpoint(content, category, { writeJson, includesSize: false })
    const isPicture = category === 'animals'
    const Kind = CurrentEnum(() => content.kinds(category))
    return get(
      `/api/v1/${path}/:endpoint`,
      {
        tag: 'Random content, v1',
        summary,
        params: { endpoint: Kind },
        query: { seed, format: format('json', isPicture ? 'image' : 'text') },
        reply: SuccessReply({
          category: Type.Literal(category),
          endpoint: Kind,
          message: Type.String({ description: isPicture ? 'Absolute URL of the picture.' : 'The text.' }),
        }),
        otherTypes: isPicture ? mediaTypes : ['text/plain'],
        errors: [UnknownKind, NothingMatches],
      },
      (ctx) => answer(ctx.params.endpoint, ctx),
    )
  })
}
