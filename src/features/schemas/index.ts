// JSON Schemas of the content files, for editors. They are made from the schemas that validate the files.
import { Credits, Videos } from '../content/index.ts'
import { releaseFileSchemas } from '../releases/index.ts'

const TITLES = {
  releases: 'Releases: app/releases.yaml',
  resources: 'Resources of the launcher: app/resources.yaml',
  tiers: 'Tiers: app/tiers.yaml',
  news: 'Front matter of news: app/news/*.md',
  credits: 'Credits of pictures: animals/<kind>/credits.yaml',
  videos: 'Videos: yt-video/<kind>.yaml',
}
type SchemaName = keyof typeof TITLES

const schemas: Readonly<Record<SchemaName, object>> = { ...releaseFileSchemas, credits: Credits, videos: Videos }

export const schemaNames = Object.keys(TITLES) as SchemaName[]

/** The JSON Schema as text. YAML editors know draft 7 best. */
export const formatFileSchema = (name: SchemaName): string => {
  const head = { $schema: 'http://json-schema.org/draft-07/schema#', title: TITLES[name] }
  return `${JSON.stringify({ ...head, ...(toPlainSchema(schemas[name]) as object) }, null, 2)}\n`
}

/** `editor` holds what editors can check of a rule that is a function. */
function toPlainSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toPlainSchema)
  if (!(value instanceof Object)) return value
  const { editor, ...keys } = value as { editor?: object }
  return Object.fromEntries(Object.entries({ ...keys, ...editor }).map(([key, part]) => [key, toPlainSchema(part)]))
}
