import Type from 'typebox'
import * as errors from '../../errors/index.ts'
import { type ApiDocument, type ApiOptions, describeApi, toPathTemplate } from '../kernel/openapi.ts'
import { listErrors } from '../kernel/openapi-replies.ts'
import { cache, json, prepareReply, type Reply, success } from '../kernel/replies.ts'
import { type ErrorDefinition, get, type Route } from '../kernel/route.ts'
import { AnyFields, EXAMPLE_BASE, SuccessReply } from '../kernel/schemas.ts'
import { compressible } from '../kernel/send.ts'

const TAGS = {
  'Random content, v2': 'Random pictures, texts, kaomoji and videos, with a description of each item.',
  'Random content, v1': 'The same content in the flat replies of v1. New programs should use v2.',
  Pictures: 'Picture files, and drawings that are made from a seed.',
  'Image filters, v2': 'Filters for the image at a URL, with resizing, chains of filters and a fallback.',
  'Image filters, v1': 'The same filters without the options of v2.',
  'Product, v5': 'Updates, versions, news, downloads and statistics of the applications. A client key may be required.',
  'Developer information': 'Version, uptime, logs, generated files and blocklists of this service.',
  'Operator, v5': 'Publishing, bans, client keys, tokens and statistics for the operator. A token is required.',
  Health: 'Liveness, readiness and metrics, without a rate limit.',
  Pages: 'Pages for people, and the files that they load.',
}

/** Every error a client can see, sorted by code. */
export const listAllErrors = (): ErrorDefinition[] =>
  Object.values<unknown>(errors)
    .filter((value): value is ErrorDefinition => typeof value === 'function' && 'code' in value && 'summary' in value)
    .sort((a, b) => a.code.localeCompare(b.code))

export type ApiDescription = ReturnType<typeof createApiDescription>

/**
 * Describes the API. The same values are served and written to the generated files. `routes` is a function because some
 * of these routes serve the description.
 */
export function createApiDescription(routes: () => readonly Route[], options: Omit<ApiOptions, 'tags'>) {
  let document: ApiDocument | undefined
  let documentReply: Reply | undefined
  const readDocument = () => {
    document ??= describeApi(routes(), { ...options, tags: TAGS })
    return document
  }
  return {
    /** Call it when kinds of content changed: they are part of the schemas. */
    refresh: () => {
      document = undefined
      documentReply = undefined
    },
    document: readDocument,
    documentReply: () => {
      documentReply ??= prepareReply(compressible(json(readDocument(), { cache: cache.short })))
      return documentReply
    },
    endpoints: () =>
      routes().map((route) => ({
        methods: route.method === 'GET' ? ['GET', 'HEAD'] : [route.method],
        path: toPathTemplate(route),
        summary: route.summary,
        tag: route.tag,
        errors: listErrors(route).map(({ code }) => code),
      })),
    errors: () => listAllErrors().map(({ code, status, summary }) => ({ code, status, summary })),
  }
}

const LINKS = {
  docs: '/docs',
  openapi: '/openapi.json',
  health: '/healthz',
  endpoints: '/api/v1/static/generated/endpoints.json',
  errors: '/api/v1/static/generated/errors.json',
}

const buildLinks = (base: string) =>
  Object.fromEntries(Object.entries(LINKS).map(([name, path]) => [name, base + path]))

export function buildApiDescriptionRoutes(version: string, apiDescription: ApiDescription): Route[] {
  return [
    get('/api', {
      tag: 'Developer information',
      summary: 'Version and links to the documentation',
      description: 'Where to start: links to the reference, this document, health checks, endpoints and error codes.',
      reply: SuccessReply({
        version: Type.String({ examples: ['1.4.0'] }),
        links: Type.Record(Type.String(), Type.String(), { examples: [buildLinks(EXAMPLE_BASE)] }),
      }),
      handle: ({ baseUrl }) => success({ version, links: buildLinks(baseUrl) }, { cache: cache.short }),
    }),
    get('/openapi.json', {
      tag: 'Pages',
      summary: 'OpenAPI 3.1 document of this API',
      description: 'For generators of clients and for other tools. Kinds of content are those of this service.',
      reply: AnyFields({ examples: [{ openapi: '3.1.0', info: { title: 'Menagerie', version: '1.4.0' }, paths: {} }] }),
      errors: [errors.Busy],
      handle: apiDescription.documentReply,
    }),
  ]
}
