import Type from 'typebox'
import { Bytes, CountOf, OrNull, Sha256, SuccessReply, Text, Timestamp } from '../kernel/schemas.ts'

const Code = Type.Literal(200, { description: 'Same as `status`, for older programs.' })

export const VersionReply = SuccessReply({
  code: Code,
  version: Text('Version of the service.', '1.4.0'),
  node: Text('Version of Node, without a "v".', '26.10.0'),
  commit: OrNull(
    Type.String({ examples: ['8f6a1c20d7b34e955aa0c1f2e3d4b5c697881234'] }),
    'Git commit, or null if it is unknown.',
  ),
})

export const UptimeReply = SuccessReply({
  code: Code,
  time: Type.String({ pattern: '^\\d{2,}:\\d\\d:\\d\\d$', description: 'Uptime as hh:mm:ss.', examples: ['26:03:09'] }),
  full: Text('Uptime in words.', '1 day, 2 hours, 3 minutes and 9 seconds'),
  uptime: Type.Number({ minimum: 0, description: 'Uptime in seconds.', examples: [93_789.4] }),
  startedAt: Timestamp,
})

export const FolderReply = SuccessReply(
  {
    path: Text('Path of the folder. Empty for the root.', ''),
    files: Type.Array(
      Type.Object(
        {
          name: Type.String({ examples: ['errors.json'] }),
          path: Text('Path of the entry in URLs.', 'errors.json'),
          isDir: Type.Boolean(),
          size: Bytes,
          sha256: OrNull(Sha256, 'SHA-256, hexadecimal. Null for a folder.'),
          modifiedAt: Timestamp,
        },
        { component: 'FolderEntry' },
      ),
    ),
  },
  { component: 'FolderReply' },
)

export const FileReply = SuccessReply(
  {
    path: Type.String({ examples: ['catalogue.json'] }),
    size: Bytes,
    sha256: Sha256,
    modifiedAt: Timestamp,
    encoding: Type.Enum(['json', 'utf8', 'base64']),
    content: Type.Unknown({
      description: 'Parsed JSON, text or Base64, depending on `encoding`.',
      examples: [{ kaomoji: [{ kind: 'cat', count: 80, drawn: false, types: {} }] }],
    }),
  },
  { component: 'FileReply' },
)

const logFields = {
  fileName: Type.String({ examples: ['menagerie.2026-12-01.log'] }),
  size: Bytes,
  modifiedAt: Timestamp,
}
/** `name` and `time` are copies for older programs. */
const LogEntry = Type.Object({ name: logFields.fileName, ...logFields, time: Timestamp }, { component: 'LogFile' })
export const LogListReply = SuccessReply({ files: Type.Array(LogEntry) })
export const LogReply = SuccessReply({
  ...logFields,
  total: CountOf('Number of lines in the file.', 418),
  truncated: Type.Boolean({ description: 'True if the file has more lines than the reply.' }),
  lines: Type.Array(Type.Object({}, { additionalProperties: true }), {
    description: 'The newest lines, oldest first. A line that is not a JSON object becomes {"text": …}.',
    examples: [[{ level: 'info', time: '2026-12-01T09:30:00.000Z', msg: 'listening' }]],
  }),
})

const blocklistFields = {
  path: Text(
    'The first list is always named `blocklist.txt`. It is the list in DATA_DIR (from BLOCKLIST_URL or `blocklist ' +
      'update`) or, if there is none, CONTENT_DIR/blocklist.txt. If there are both, the second is `content/blocklist.txt`.',
    'blocklist.txt',
  ),
  sha256: Sha256,
  size: Bytes,
  entries: CountOf('Number of domains.', 62),
  modifiedAt: Timestamp,
  source: Text(
    '`content`: the content folder; `file`: a local file given to `blocklist update`; `update`: a list in ' +
      'DATA_DIR whose origin was not recorded; otherwise the host from which the list was downloaded.',
    'content',
  ),
}
export const BlocklistsReply = SuccessReply({
  files: Type.Array(Type.Object(blocklistFields, { component: 'Blocklist' })),
})
export const BlocklistReply = SuccessReply({
  ...blocklistFields,
  message: Type.String({ ...Sha256, description: 'Same as `sha256`, for older programs.' }),
  type: Type.Literal('sha256'),
})
