import { appendRecord, type Publication, type PublishOptions } from './append.ts'

export const publishResources = (options: PublishOptions): Promise<Publication> =>
  appendRecord(options, {
    file: 'resources.yaml',
    list: 'resources',
    fields: {},
    listed: (file) => file.resources ?? [],
    rivals: (listed) => listed,
  })
