import Type from 'typebox'
import * as errors from '../../errors/index.ts'
import { type ApiDocument, describeApi, errorsOf, templateOf } from '../kernel/openapi.ts'
import { cache, json, type Reply, success } from '../kernel/replies.ts'
import { type AnyError, get, type Route } from '../kernel/route.ts'
import { SuccessReply } from '../kernel/schemas.ts'

/** Every error a client can see, sorted by code. */
export const allErrors = (): AnyError[] =>
  Object.values<unknown>(errors)
    .filter((value): value is AnyError => typeof value === 'function' && 'code' in value && 'summary' in value)
    .sort((a, b) => a.code.localeCompare(b.code))

/** What the service says of itself; the same values are served and written to the generated files. */
export interface SelfDescription {
  /** The same object until `changed` is called. */
  document(): ApiDocument
  endpoints(): unknown
  errors(): unknown
  /** The tables were laid again. */
  changed(): void
}

export type Described = Pick<SelfDescription, 'document'>

export function describeSelf(lay: () => readonly Route[], version: string, publicUrl: string): SelfDescription {
  let routes: readonly Route[] | undefined
  let document: ApiDocument | undefined
  const current = () => {
    routes ??= lay()
    return routes
  }
  return {
    changed: () => {
      routes = undefined
      document = undefined
    },
    document: () => {
      document ??= describeApi(current(), version, publicUrl)
      return document
    },
    endpoints: () =>
      current().map((route) => ({
        methods: route.method === 'GET' ? ['GET', 'HEAD'] : [route.method],
        path: templateOf(route),
        summary: route.summary,
        tag: route.tag,
        errors: errorsOf(route).map(({ code }) => code),
      })),
    errors: () => allErrors().map(({ code, status, summary }) => ({ code, status, summary })),
  }
}

const LINKS = {
  docs: '/docs',
  openapi: '/openapi.json',
  health: '/healthz',
  endpoints: '/api/v1/static/generated/endpoints.json',
  errors: '/api/v1/static/generated/errors.json',
}

export function about(version: string, described: Described): Route[] {
  const replies = new WeakMap<ApiDocument, Reply>()
  return [
    get(
      '/api',
      {
        tag: 'Developer information',
        summary: 'Where to begin',
        reply: SuccessReply({ version: Type.String(), links: Type.Record(Type.String(), Type.String()) }),
      },
      ({ baseUrl }) => {
        const links = Object.fromEntries(Object.entries(LINKS).map(([name, path]) => [name, baseUrl + path]))
        return success({ version, links }, { cache: cache.short, headers: ['Vary', 'Host'] })
      },
    ),
    get(
      '/openapi.json',
      {
        tag: 'Pages',
        summary: 'This API as an OpenAPI 3.1 document',
        reply: Type.Object({}, { additionalProperties: true }),
      },
      () => {
        const document = described.document()
        const reply = replies.get(document) ?? json(document, { cache: cache.short })
        replies.set(document, reply)
        return reply
      },
    ),
  ]
}
