import assert from 'node:assert/strict'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { type ApiDocument, resolveReference } from '../../src/http/kernel/openapi.ts'

interface Response {
  readonly content?: Record<string, { schema: object }>
}

/** By text: most services have the same document, and compiling its schemas takes long. */
const documents = new Map<string, { document: ApiDocument; compile: ReturnType<typeof createCompiler> }>()

function parseDocument(text: string) {
  const known = documents.get(text)
  if (known) return known
  const document = JSON.parse(text) as ApiDocument
  const parsed = { document, compile: createCompiler(document) }
  documents.set(text, parsed)
  return parsed
}

/** Compiles schemas of a document, whose references lead to its components. */
export function createCompiler(document: ApiDocument) {
  // Compiling the schema of schemas takes 0.3 s per file; `http/kernel/openapi.test.ts` checks the whole document.
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false })
  addFormats.default(ajv)
  ajv.addSchema({ components: document.components }, 'openapi')
  const validators = new Map<object, ValidateFunction>()
  return (schema: object): ValidateFunction => {
    const known = validators.get(schema)
    if (known) return known
    const text = JSON.stringify(schema).replaceAll('"#/components/', '"openapi#/components/')
    const validate = ajv.compile(JSON.parse(text))
    validators.set(schema, validate)
    return validate
  }
}

function findTemplate(document: ApiDocument, path: string): string | undefined {
  const plain = path.split('?')[0] ?? ''
  return Object.keys(document.paths)
    .sort((a, b) => a.split('{').length - b.split('{').length)
    .find((template) => {
      const pattern = template
        .replace(/[.*+?^$()|[\]\\]/g, '\\$&')
        .replace(/\{path\}/g, '.*')
        .replace(/\{[^}]+\}/g, '[^/]+')
      return new RegExp(`^${pattern}$`).test(plain)
    })
}

/** Asserts that the OpenAPI document describes the reply, and that its JSON matches the schema. */
export async function checkReply(
  documentText: string,
  path: string,
  method: string,
  response: globalThis.Response,
): Promise<void> {
  const type = (response.headers.get('content-type') ?? '').split(';')[0] ?? ''
  if (method === 'HEAD' || method === 'OPTIONS') return
  const { document, compile } = parseDocument(documentText)
  const template = findTemplate(document, path)
  const operation = template && document.paths[template]?.[method.toLowerCase()]
  if (!operation) {
    assert.ok(response.status >= 400, `${method} ${path} answers ${response.status} but is not in the OpenAPI document`)
    return
  }
  const found = (operation.responses as Record<string, Response>)[response.status]
  assert.ok(found, `${method} ${template} answers ${response.status}, which is not described`)
  if (response.status === 304 || response.status === 204) return
  const described = resolveReference(document, found)
  const content = described.content?.[type]
  if (type !== 'application/json') {
    assert.ok(
      content || described.content === undefined,
      `${method} ${template} answers ${type}, which is not described`,
    )
    return
  }
  assert.ok(content, `${method} ${template} answers JSON with ${response.status}, which is not described`)
  const validate = compile(content.schema)
  const body = await response.json()
  assert.ok(
    validate(body),
    `${method} ${template} ${response.status}: ${describeErrors(validate)}\n${JSON.stringify(body).slice(0, 500)}`,
  )
}

const describeErrors = (validate: ValidateFunction) =>
  (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`).join('; ')
