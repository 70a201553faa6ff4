import type { ResourcesRecord } from '../read/schemas.ts'
import { editData, readData } from './edit-file.ts'
import { assertRule, parseInputDate } from './publish-error.ts'
import { assertFilesAreFree, assertNewest, findVersion, type PublishOptions, parseNewVersion } from './publish-rules.ts'
import { getExtension, getSourceName, type SourceOptions, stageSource } from './source.ts'

export async function publishResources(options: PublishOptions & SourceOptions) {
  const { dir, version, at = new Date().toISOString(), force = false, dryRun = false, onLock, onEdit } = options
  const order = parseNewVersion(version)
  const date = parseInputDate(at)
  const findExisting = (resources: readonly ResourcesRecord[]) => resources[findVersion(resources, order, 'resources')]
  const check = (resources: readonly ResourcesRecord[]) => {
    assertRule(!findExisting(resources), `resources ${version}`, 'is already published')
    const others = resources.filter(({ withdrawn }) => !withdrawn)
    if (!force) assertNewest(others, order, 'resources')
  }
  const { resources = [] } = await readData(dir, 'resources.yaml')
  const existing = findExisting(resources)
  // Publishing the same file again changes nothing.
  if (existing && existing.sha256 === options.sha256?.toLowerCase() && existing.url === options.url) {
    const { date, bytes, sha256 } = existing
    return { file: 'resources.yaml', diff: '', version, date, bytes, sha256 }
  }
  check(resources)
  const extension = options.file === undefined ? '' : getExtension(getSourceName(options))
  const staged = await stageSource(dir, `resources-${version}${extension}`, options, dryRun)
  try {
    const {
      source,
      digest: { bytes, sha256 },
    } = staged
    const change = await editData(
      dir,
      'resources.yaml',
      (document, { resources = [] }) => {
        check(resources)
        assertFilesAreFree(resources, [staged])
        if (!document.has('resources')) document.set('resources', document.createNode([]))
        document.addIn(['resources'], document.createNode({ version, date, ...source, bytes, sha256 }))
      },
      { dryRun, onLock, onEdit, moved: staged.moved },
    )
    return { ...change, version, date, bytes, sha256 }
  } finally {
    if (!dryRun) await staged.discard()
  }
}
