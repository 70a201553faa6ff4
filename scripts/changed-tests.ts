// Finds the test files that a change can affect.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** Dependencies that are not imports: a change of a matching file requires the matching tests. */
const OTHER_DEPENDENTS = [
  { files: /^src\/http\/pages\//, tests: /^test\/http\/pages\// },
  { files: /^src\/features\/filters\/kernels\//, tests: /^test\/features\/filters\// },
  { files: /^src\/(main\.ts|cli\/)/, tests: /^test\/(cli|config)\// },
  { files: /^content\//, tests: /^test\/(features\/(content|releases)|http\/api)\// },
  { files: /^packages\//, tests: /^test\/packages\// },
  { files: /^(package(-lock)?|tsconfig|biome)\.json$/, tests: /./ },
  { files: /^(?!src\/|test\/).*/, tests: /^test\/project\// },
] as const

/** Reads the relative imports of every TypeScript file: file -> files that import it. */
function readImporters(root: string): Map<string, string[]> {
  const importers = new Map<string, string[]>()
  for (const file of globSync(['{src,test,scripts,bench}/**/*.ts', 'packages/*/src/**/*.ts'], { cwd: root })) {
    for (const [, path = ''] of readFileSync(join(root, file), 'utf8').matchAll(/['"](\.{1,2}\/[^'"\n]+\.ts)['"]/g)) {
      const imported = normalize(join(dirname(file), path))
      importers.set(imported, [...(importers.get(imported) ?? []), file])
    }
  }
  return importers
}

export function findTestsOfChange(root: string, tests: readonly string[], changes: readonly string[]): string[] {
  const importers = readImporters(root)
  const affected = new Set(changes)
  for (const file of affected) for (const importer of importers.get(file) ?? []) affected.add(importer)
  const rules = OTHER_DEPENDENTS.filter(({ files }) => changes.some((file) => files.test(file)))
  return tests.filter((test) => affected.has(test) || rules.some((rule) => rule.tests.test(test)))
}
