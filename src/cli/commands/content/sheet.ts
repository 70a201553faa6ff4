import { join } from 'node:path'
import { defineCommand, UsageError } from '../../command.ts'

const SHEET = { columns: 8, rows: 6, cell: 160 }

export const contentSheet = defineCommand({
  name: 'content sheet',
  summary: 'Writes a contact sheet of the artist’s drawings, a PNG a kind.',
  settings: [],
  arguments: [
    {
      name: 'kinds',
      many: true,
      optional: true,
      choices: ['cat', 'dog', 'fox', 'fish', 'alpaca', 'bird'],
      help: 'Which kinds; all where none is named.',
    },
  ],
  options: {
    out: {
      type: 'string',
      value: 'folder',
      completes: 'folders',
      help: 'Where to write them; ./sheets where nothing is said.',
    },
    seed: { type: 'string', value: 'number', help: 'Seed of the first drawing, 0 where nothing is said.' },
  },
  examples: ['content sheet', 'content sheet cat dog --out ./sheets --seed 48'],
  run: async ({ args, options: { out = 'sheets', seed = '0' }, progress }) => {
    if (!/^\d{1,15}$/.test(seed)) throw new UsageError(`--seed must be a whole number, not "${seed}".`)
    const [{ artistKinds, contactSheet }, { writeAtomically }] = await Promise.all([
      import('../../../features/content/index.ts'),
      import('../../../platform/files/index.ts'),
    ])
    const kinds = artistKinds.filter((kind) => args.kinds.length === 0 || args.kinds.includes(kind))
    const files: string[] = []
    using bar = progress('Drawing sheets')
    for (const kind of kinds) {
      bar.show(files.length, kinds.length)
      const file = join(out, `${kind}.png`)
      await writeAtomically(file, await contactSheet(kind, { ...SHEET, firstSeed: Number(seed) }))
      files.push(file)
    }
    return { text: files.join('\n'), value: { files } }
  },
})
