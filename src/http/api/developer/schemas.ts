import Type from 'typebox'
import { Bytes, Sha256, SuccessReply, Timestamp } from '../../kernel/schemas.ts'

const Code = Type.Literal(200, { description: 'The same as status; older programs read it.' })

export const VersionReply = SuccessReply({
  code: Code,
  version: Type.String({ examples: ['1.4.0'] }),
  node: Type.String({ description: 'Version of the runtime, without a "v".', examples: ['26.10.0'] }),
  commit: Type.Union([Type.String(), Type.Null()]),
})

export const UptimeReply = SuccessReply({
  code: Code,
  time: Type.String({ pattern: '^\\d{2,}:\\d\\d:\\d\\d$', examples: ['26:03:09'] }),
  full: Type.String({ examples: ['1 day, 2 hours, 3 minutes and 9 seconds'] }),
  uptime: Type.Number({ minimum: 0, description: 'Seconds.' }),
  startedAt: Timestamp,
})

export const FolderReply = SuccessReply({
  path: Type.String(),
  files: Type.Array(
    Type.Object({
      name: Type.String(),
      path: Type.String({ description: 'What to ask for next.' }),
      isDir: Type.Boolean(),
      size: Bytes,
      sha256: Type.Union([Sha256, Type.Null()], { description: 'Null for a folder.' }),
      modifiedAt: Timestamp,
    }),
  ),
})

export const ContentReply = SuccessReply({
  path: Type.String(),
  size: Bytes,
  sha256: Sha256,
  modifiedAt: Timestamp,
  encoding: Type.Enum(['json', 'utf8', 'base64']),
  content: Type.Unknown({ description: 'The parsed value for json, text for utf8 and base64.' }),
})

const LogEntry = { fileName: Type.String(), size: Bytes, modifiedAt: Timestamp }

export const LogListReply = SuccessReply({ files: Type.Array(Type.Object(LogEntry)) })

export const LogReply = SuccessReply({
  ...LogEntry,
  total: Type.Integer({ minimum: 0, description: 'Lines of the whole file.' }),
  truncated: Type.Boolean({ description: 'There are more lines than are shown.' }),
  lines: Type.Array(Type.Object({}, { additionalProperties: true }), {
    description: 'The newest, oldest of them first. A line that is no JSON object comes as {"text": …}.',
  }),
})

const BlocklistEntry = {
  path: Type.String(),
  sha256: Sha256,
  size: Bytes,
  entries: Type.Integer({ minimum: 0, description: 'Domains on the list.' }),
  modifiedAt: Timestamp,
  source: Type.String({ description: 'Where the list is from.' }),
}

export const BlocklistsReply = SuccessReply({ files: Type.Array(Type.Object(BlocklistEntry)) })

export const BlocklistReply = SuccessReply({
  ...BlocklistEntry,
  message: Type.String({ description: 'The digest, once more; older programs read it.' }),
  type: Type.Literal('sha256'),
})
