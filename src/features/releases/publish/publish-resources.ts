import type { ResourcesRecord } from '../read/schemas.ts'
import { editData, readData } from './edit-file.ts'
import { assertRule, parseInputDate } from './publish-error.ts'
import { assertFilesAreFree, assertNewest, findVersion, type PublishOptions, parseNewVersion } from './publish-rules.ts'
import { getExtension, type SourceOptions, stageSource } from './source.ts'

export async function publishResources(options: PublishOptions & SourceOptions) {
  const { dir, version, at = new Date().toISOString(), force = false, dryRun = false, onEdit } = options
  const order = parseNewVersion(version)
  const date = parseInputDate(at)
  const check = (resources: readonly ResourcesRecord[] = []) => {
    const isNew = findVersion(resources, order, 'resources') === -1
    assertRule(isNew, `resources ${version}`, 'is already published')
    const others = resources.filter(({ withdrawn }) => !withdrawn)
    if (!force) assertNewest(others, order, 'resources')
  }
  check((await readData(dir, 'resources.yaml')).resources)
  const staged = await stageSource(dir, `resources-${version}${getExtension(options.file ?? '')}`, options, dryRun)
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
      { dryRun, onEdit, beforeWrite: staged.commit },
    )
    return { ...change, version, date, bytes, sha256 }
  } finally {
    if (!dryRun) await staged.discard()
  }
}
