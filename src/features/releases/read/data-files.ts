// The YAML files of the folder: what each may hold.
import { applications } from '../applications.ts'
import { ReleasesFile, ResourcesFile, TiersFile } from './schema.ts'
import { type Fault, readYaml, type Shape } from './yaml.ts'

const releasesShape: Shape<typeof ReleasesFile> = {
  schema: ReleasesFile,
  faults: (file) => applications.flatMap((name) => repeatedVersions(name, file[name])),
}
const resourcesShape: Shape<typeof ResourcesFile> = {
  schema: ResourcesFile,
  faults: (file) => repeatedVersions('resources', file.resources),
}
const tiersShape: Shape<typeof TiersFile> = { schema: TiersFile }

export const dataFiles = {
  'releases.yaml': (text: string) => readYaml(text, releasesShape, 'releases.yaml'),
  'resources.yaml': (text: string) => readYaml(text, resourcesShape, 'resources.yaml'),
  'tiers.yaml': (text: string) => readYaml(text, tiersShape, 'tiers.yaml'),
}
export type DataFile = keyof typeof dataFiles
export const isDataFile = (name: string): name is DataFile => Object.hasOwn(dataFiles, name)

function repeatedVersions(list: string, records: { version: string }[] = []): Fault[] {
  const seen = new Set<string>()
  return records.flatMap(({ version }, index) => {
    if (!seen.has(version)) {
      seen.add(version)
      return []
    }
    return [{ path: [list, index, 'version'], rule: 'version-once', message: `${list} has ${version} twice` }]
  })
}
