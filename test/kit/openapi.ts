import assert from 'node:assert/strict'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

interface Operation {
  readonly responses: Record<string, { content?: Record<string, { schema: object }> }>
}

interface Document {
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: object
}

// Compiling the schema of schemas takes 0.3 s per file; `http/kernel/openapi.test.ts` checks the whole document.
const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false })
addFormats.default(ajv)

const documents = new Map<string, { document: Document; validators: Map<string, ValidateFunction> }>()

async function readDocument(url: string) {
  const cached = documents.get(url)
  if (cached) return cached
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as Document
  const created = { document, validators: new Map<string, ValidateFunction>() }
  documents.set(url, created)
  return created
}

function findTemplate(document: Document, path: string): string | undefined {
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

/** Asserts that the OpenAPI document of the service describes the reply, and that its JSON matches the schema. */
export async function checkReply(url: string, path: string, method: string, response: Response): Promise<void> {
  const type = (response.headers.get('content-type') ?? '').split(';')[0] ?? ''
  if (method === 'HEAD' || response.status === 304 || response.status === 204) return
  const { document, validators } = await readDocument(url)
  const template = findTemplate(document, path)
  const operation = template && document.paths[template]?.[method.toLowerCase()]
  if (!operation) {
    assert.ok(response.status >= 400, `${method} ${path} answers ${response.status} but is not in the OpenAPI document`)
    return
  }
  const described = operation.responses[response.status]
  assert.ok(described, `${method} ${template} answers ${response.status}, which is not described`)
  const content = described.content?.[type]
  if (type !== 'application/json') {
    assert.ok(
      content || described.content === undefined,
      `${method} ${template} answers ${type}, which is not described`,
    )
    return
  }
  assert.ok(content, `${method} ${template} answers JSON with ${response.status}, which is not described`)
  const key = `${method} ${template} ${response.status}`
  let validate = validators.get(key)
  if (!validate) {
    validate = ajv.compile({ ...content.schema, components: document.components })
    validators.set(key, validate)
  }
  const body = await response.json()
  assert.ok(validate(body), `${key}: ${describeErrors(validate)}\n${JSON.stringify(body).slice(0, 500)}`)
}

const describeErrors = (validate: ValidateFunction) =>
  (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`).join('; ')
