// The Model Context Protocol: programs with a language model call the service by tools, and read the guides as resources.
// Nothing here changes data. Filters and drawings are returned as URLs: their work is done, and charged, when a URL is opened.
import Type, { type TProperties } from 'typebox'
import { artistKinds } from '../../../../packages/artist/src/index.ts'
import { BodyTooLarge, InvalidBody } from '../../../errors/index.ts'
import type { Content } from '../../../features/content/index.ts'
import { filters, parseSteps, strengthRanges } from '../../../features/filters/index.ts'
import { readBody } from '../../kernel/input.ts'
import { bytes, cache } from '../../kernel/replies.ts'
import type { RequestContext } from '../../kernel/request-context.ts'
import { post, type Route } from '../../kernel/route.ts'
import type { Guide, GuideReader } from '../guides/guide.ts'
import { describeDrawing } from '../shared/describe-drawing.ts'
import { BACKGROUNDS, buildDrawingPath, DEFAULT_SIZE, MAX_NAME_LENGTH, readName } from '../shared/drawing-url.ts'
import type { RequestInternally } from '../shared/internal-request.ts'

interface McpOptions {
  readonly content: Content
  readonly requestInternally: RequestInternally
  readonly readGuides: GuideReader
  readonly version: string
}

/** Other headers of the request do not matter to the protocol. */
const isProtocolHeader = (name: string) => name.startsWith('mcp-') || name === 'accept' || name === 'content-type'

export function mcpRoute(options: McpOptions): Route {
  const compiled: CompiledSchemas = new Map()
  return post('/mcp', {
    tag: 'Pages',
    summary: 'Model Context Protocol',
    description: 'Streamable HTTP without sessions: each request is answered on its own.',
    body: Type.Object(
      { jsonrpc: Type.Literal('2.0'), method: Type.String({ examples: ['tools/list'] }) },
      { additionalProperties: true, description: 'A JSON-RPC message.' },
    ),
    otherTypes: ['text/event-stream'],
    textExamples: { 'text/event-stream': 'event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{"tools":[]}}\n\n' },
    otherReplies: { 202: 'A notification was accepted.' },
    errors: [InvalidBody, BodyTooLarge],
    handle: async (ctx) => {
      const parsedBody = await readBody(ctx)
      const message = JSON.stringify(parsedBody)
      // Most services never need the library.
      const sdk = await import('@modelcontextprotocol/server')
      const guides = await options.readGuides()
      const handler = sdk.createMcpHandler(() => createServer(sdk, options, guides, ctx, compiled), {
        maxSubscriptions: 0,
      })
      const headers = Object.entries(ctx.request.headersDistinct)
        .filter(([name]) => isProtocolHeader(name))
        .map(([name, values = []]) => [name, values.join(', ')] as [string, string])
      const request = new Request(`${ctx.baseUrl}/mcp`, { method: 'POST', headers, body: message })
      const response = await handler.fetch(request, { parsedBody })
      const body = new Uint8Array(await response.arrayBuffer())
      const type = response.headers.get('content-type') ?? 'application/json'
      return bytes(body, type, { status: response.status, cache: cache.none })
    },
  })
}

type Sdk = typeof import('@modelcontextprotocol/server')

/** By the text of the schema. The library never frees a schema, so a request must not compile one again. */
type CompiledSchemas = Map<string, ReturnType<Sdk['fromJsonSchema']>>

const toText = (value: unknown) => ({
  content: [{ type: 'text' as const, text: typeof value === 'string' ? value : JSON.stringify(value, null, 2) }],
})

function createServer(
  sdk: Sdk,
  options: McpOptions,
  guides: readonly Guide[],
  ctx: RequestContext,
  compiled: CompiledSchemas,
) {
  const { content, requestInternally, version } = options
  const { baseUrl } = ctx
  // Without sessions, the service cannot notify a client of changes.
  const unchanging = { listChanged: false }
  const server = new sdk.McpServer(
    { name: 'menagerie', version },
    { capabilities: { tools: unchanging, resources: unchanging } },
  )

  function addTool<Input>(
    name: string,
    description: string,
    properties: TProperties,
    run: (input: Input) => unknown,
  ): void {
    const schema = Type.Object(properties, { additionalProperties: false })
    const key = JSON.stringify(schema)
    const inputSchema = compiled.get(key) ?? sdk.fromJsonSchema(schema)
    compiled.set(key, inputSchema)
    const annotations = { readOnlyHint: true }
    const answer = async (input: unknown) => toText(await run(input as Input))
    server.registerTool(name, { description, inputSchema, annotations }, answer)
  }

  const askFor = async (group: string, kind = 'any') => {
    const { body } = await requestInternally(group, kind, ctx)
    if ('code' in body) throw new Error(String(body.message))
    return body
  }
  const OptionalKind = (kinds: readonly string[]) => ({
    kind: Type.Optional(Type.Enum([...kinds], { description: 'Default: any kind.' })),
  })
  for (const [name, group, category, what] of [
    [
      'random_animal',
      'animal',
      'animals',
      'Picks a picture of an animal. `message` is its URL, `item.alt` describes it.',
    ],
    ['random_kaomoji', 'kaomoji', 'kaomoji', 'Picks a kaomoji, a face made of characters.'],
    ['random_answer', 'string', 'string', 'Picks an answer of the magic 8 ball, or another text of the operator.'],
    ['random_video', 'yt-video', 'yt-video', 'Picks a video. `message` is its URL.'],
  ] as const) {
    addTool<{ kind?: string }>(name, what, OptionalKind(content.kinds(category)), ({ kind }) => askFor(group, kind))
  }

  addTool<{ image: string; steps: string }>(
    'filter_image',
    'Returns the URL of a filtered image. The service fetches and filters the image when the URL is opened.',
    {
      image: Type.String({ format: 'uri', description: 'Public URL of the image.' }),
      steps: Type.String({
        description:
          `Filters in their order: ${filters.map(({ name }) => name).join(', ')}. A strength follows a colon: ` +
          `${strengthRanges}. Example: greyscale,blur:5`,
      }),
    },
    ({ image, steps }) => {
      parseSteps(steps)
      return `${baseUrl}/api/v2/filter/chain?${new URLSearchParams({ steps, image })}`
    },
  )
  addTool<{ kind: (typeof artistKinds)[number]; name: string; background?: (typeof BACKGROUNDS)[number] }>(
    'draw_animal',
    'Returns the URL of the animal of a name, as an avatar or a sticker. The same name always has the same animal.',
    {
      kind: Type.Enum([...artistKinds]),
      name: Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH }),
      background: Type.Optional(
        Type.Enum([...BACKGROUNDS], { description: '`none`: only the animal. Default: `scene`.' }),
      ),
    },
    ({ kind, name: typed, background = 'scene' }) => {
      const name = readName(typed)
      if (name === '') throw new Error('The name has no visible character.')
      const path = buildDrawingPath({ kind, name, background, size: DEFAULT_SIZE }, 'png')
      return { url: `${baseUrl}/${path}`, alt: describeDrawing(kind, name, background) }
    },
  )

  for (const { name, title, description, sections } of guides) {
    const uri = `${baseUrl}/docs/guides/${name}`
    const text = [`# ${title}`, description, ...sections.flatMap((part) => [`## ${part.title}`, part.text])].join(
      '\n\n',
    )
    server.registerResource(name, uri, { title, description, mimeType: 'text/markdown' }, () => ({
      contents: [{ uri, mimeType: 'text/markdown', text }],
    }))
  }
  return server
}
