// Releases a version. docs/versioning.md describes it.
// `npm version <version>` runs `check` before it changes anything, and `prepare` before it commits and tags.
// `npm run release -- publish v1.2.3` publishes the packages of a tag; further arguments go to npm (--dry-run).
import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import semver from 'semver'

const ROOT = join(import.meta.dirname, '..')
const CHANGELOG = join(ROOT, 'CHANGELOG.md')
const UNRELEASED = '## Unreleased\n'

/** The folders of the published packages. All have the same version. */
const FOLDERS = ['.', ...globSync('packages/*', { cwd: ROOT }).sort()]

function fail(message: string): never {
  console.error(`release: ${message}`)
  process.exit(1)
}

/** If git fails, it says why on standard error. */
function git(...args: string[]): string {
  const { status, stdout } = spawnSync('git', args, {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (status !== 0) fail(`git ${args.join(' ')} failed; see the messages above.`)
  return stdout.trim()
}

const manifestOf = (folder: string) => join(ROOT, folder, 'package.json')
const readManifest = (folder: string): { name: string; version: string; private?: boolean } =>
  JSON.parse(readFileSync(manifestOf(folder), 'utf8'))

/** The text below a heading of the changelog, up to the next version. */
function readSection(changelog: string, heading: string): string {
  const start = changelog.indexOf(heading)
  return start < 0 ? '' : (changelog.slice(start + heading.length).split('\n## ')[0] ?? '').trim()
}

function checkEqualVersions(): string {
  const { version } = readManifest('.')
  const different = FOLDERS.filter((folder) => readManifest(folder).version !== version)
  if (different.length > 0) fail(`${different.join(' and ')} must have the version ${version}, as the root has.`)
  return version
}

/** Refuses what could not be undone after the tag is public. */
function check(next: string): void {
  const current = checkEqualVersions()
  if (semver.valid(next) !== next || !semver.gt(next, current)) fail(`${next} is not a version after ${current}.`)
  if (readSection(readFileSync(CHANGELOG, 'utf8'), UNRELEASED) === '') fail('CHANGELOG.md has nothing unreleased.')
  const changes = git('status', '--porcelain')
  if (changes !== '') fail(`commit or remove these changes first:\n${changes}`)
  const branch = git('branch', '--show-current')
  if (branch !== 'main') fail(`releases are made on the branch main, not ${branch || 'without a branch'}.`)
  if (git('for-each-ref', '--format=%(upstream)', 'refs/heads/main') === '') fail('main has no upstream to push to.')
  // Fails without a name and an email address to commit with.
  git('var', 'GIT_COMMITTER_IDENT')
  git('fetch', '--quiet')
  if (git('rev-list', 'HEAD..@{upstream}') !== '') fail('the upstream has newer commits: pull and test them first.')
}

/** Sets the version of all packages, and moves the unreleased changes of the changelog to the version. */
function prepare(version: string): void {
  for (const folder of FOLDERS) {
    const text = readFileSync(manifestOf(folder), 'utf8')
    writeFileSync(manifestOf(folder), text.replace(/^( {2}"version": )"[^"]*"/m, `$1"${version}"`))
  }
  checkEqualVersions()
  const heading = `## ${version} - ${new Date().toISOString().slice(0, 10)}\n`
  const changelog = readFileSync(CHANGELOG, 'utf8')
  writeFileSync(
    CHANGELOG,
    changelog.replace(UNRELEASED, () => `${UNRELEASED}\n${heading}`),
  )
  git('add', 'CHANGELOG.md', ...FOLDERS.map((folder) => join(folder, 'package.json')))
}

/** If npm fails for another reason than an unknown package, `npm publish` will report it. */
const isPublished = (name: string, version: string) =>
  spawnSync('npm', ['view', `${name}@${version}`, 'version'], { encoding: 'utf8' }).stdout.trim() === version

/** npm compares it with the provenance of the package. A fork has another one, so it is not in the repository itself. */
function nameRepository(folder: string): void {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = process.env
  if (!server || !repository) return
  const fields = { type: 'git', url: `git+${server}/${repository}.git`, directory: folder }
  const args = Object.entries(fields).map(([name, value]) => `repository.${name}=${value}`)
  execFileSync('npm', ['pkg', 'set', ...args], { cwd: join(ROOT, folder) })
}

/** Can be repeated after a failure: packages that are published already are skipped. */
function publish(tag: string, options: readonly string[]): void {
  const version = checkEqualVersions()
  if (tag !== `v${version}`) fail(`the tag ${tag} does not belong to the version ${version}.`)
  if (!readFileSync(CHANGELOG, 'utf8').includes(`\n## ${version} - `))
    fail(`CHANGELOG.md does not describe ${version}.`)
  // A pre-release must not become what `npm install` chooses.
  const channel = semver.prerelease(version) ? 'next' : 'latest'
  for (const folder of FOLDERS) {
    const { name, private: isPrivate } = readManifest(folder)
    if (isPrivate || isPublished(name, version)) {
      console.log(`${name} ${version} is ${isPrivate ? 'private' : 'published already'}.`)
      continue
    }
    nameRepository(folder)
    const args = ['publish', '--tag', channel, ...options]
    const { status } = spawnSync('npm', args, { cwd: join(ROOT, folder), stdio: 'inherit' })
    if (status !== 0) fail(`${name} is not published; see the messages above.`)
  }
}

const [step, ...rest] = process.argv.slice(2)
const next = process.env.npm_new_version ?? ''
if (step === 'check') check(next)
else if (step === 'prepare') prepare(next)
else if (step === 'publish' && rest[0]) publish(rest[0], rest.slice(1))
else fail('usage: npm version <version>, or npm run release -- publish <tag> [options of npm publish]')
