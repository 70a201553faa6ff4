import assert from 'node:assert/strict'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { type ApiDocument, resolveReference } from '../../src/http/kernel/openapi.ts'

interface Response {
  readonly content?: Record<string, { schema: object }>
}

/** By text: most services have the same document, and compiling its schemas takes long. */
const documents = new Map<string, ReturnType<typeof parseDocument>>()

function parseDocument(text: string) {
  const document = JSON.parse(text) as ApiDocument
  return { document, compile: createCompiler(document), findTemplate: createTemplateFinder(document) }
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

/** Finds the template of a path, as the router does: one without parameters first. */
function createTemplateFinder({ paths }: ApiDocument) {
  const templates = Object.keys(paths)
    .sort((a, b) => a.split('{').length - b.split('{').length)
    .map((template) => {
      const pattern = template
        .replace(/[.*+?^$()|[\]\\]/g, '\\$&')
        .replace(/\{path\}/g, '.*')
        .replace(/\{[^}]+\}/g, '[^/]+')
      return { template, pattern: new RegExp(`^${pattern}$`) }
    })
  return (path: string) => templates.find(({ pattern }) => pattern.test(path.split('?')[0] ?? ''))?.template
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
  const known = documents.get(documentText) ?? parseDocument(documentText)
  documents.set(documentText, known)
  const { document, compile, findTemplate } = known
  const template = findTemplate(path)
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
