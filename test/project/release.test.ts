// `npm version` and `npm run release -- publish`, in a copy of the files that they read.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { temporaryFolder } from '../kit/folder.ts'
import { ROOT } from '../kit/root.ts'

const run = promisify(execFile)
const MANIFESTS = ['package.json', 'packages/artist/package.json', 'packages/client/package.json']
const OLD_CHANGELOG = '# Changelog\n\n## Unreleased\n\n### Added\n\n- A $& sentence.\n\n## 0.0.9 - 2020-01-01\n\nOld.\n'

/** A repository with the release script and the manifests, and the remote that it pushes to. */
async function createProject(t: TestContext) {
  const folder = await temporaryFolder(t)
  const [project, remote] = [join(folder, 'project'), join(folder, 'remote.git')]
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: folder,
    GIT_CONFIG_COUNT: '2',
    GIT_CONFIG_KEY_0: 'user.name',
    GIT_CONFIG_VALUE_0: 'Ann',
    GIT_CONFIG_KEY_1: 'user.email',
    GIT_CONFIG_VALUE_1: 'ann@example.org',
    npm_config_update_notifier: 'false',
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_REPOSITORY: 'ann/animals',
  }
  const call = async (program: string, ...args: string[]) =>
    (await run(program, args, { cwd: project, env })).stdout.trim()
  /** What the call prints on standard error before it fails. */
  const callFailing = async (program: string, ...args: string[]) => {
    const error = await call(program, ...args).then(
      () => assert.fail(`${args} succeeded`),
      (reason) => reason,
    )
    return String(error.stderr)
  }
  for (const file of [...MANIFESTS, 'package-lock.json', 'scripts/release.ts']) {
    await cp(join(ROOT, file), join(project, file))
  }
  await writeFile(join(project, 'CHANGELOG.md'), OLD_CHANGELOG)
  // Beside the project, so that it is not part of the repository.
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  await mkdir(remote)
  await call('git', 'init', '--bare', '--quiet', '--initial-branch=main', remote)
  await call('git', 'init', '--quiet', '--initial-branch=main')
  await call('git', 'add', '.')
  await call('git', 'commit', '--quiet', '--message=start')
  await call('git', 'remote', 'add', 'origin', remote)
  await call('git', 'push', '--quiet', '--set-upstream', 'origin', 'main')
  const readText = (file: string) => readFile(join(project, file), 'utf8')
  const readVersions = () => Promise.all(MANIFESTS.map(async (file) => JSON.parse(await readText(file)).version))
  return { project, folder, remote, call, callFailing, readText, readVersions }
}

describe('npm version', () => {
  it('sets all versions, dates the changelog, commits, tags and pushes', async (t) => {
    const { call, readText, readVersions, remote } = await createProject(t)
    await call('npm', 'version', '1.0.0')
    assert.deepEqual(await readVersions(), ['1.0.0', '1.0.0', '1.0.0'])
    assert.equal(JSON.parse(await readText('package-lock.json')).version, '1.0.0')
    const today = new Date().toISOString().slice(0, 4)
    const changelog = (await readText('CHANGELOG.md')).replace(/(## 1\.0\.0 - )(\d{4})-\d\d-\d\d/, '$1$2')
    assert.equal(
      changelog,
      OLD_CHANGELOG.replace('Unreleased\n', () => `Unreleased\n\n## 1.0.0 - ${today}\n`),
    )
    assert.equal(await call('git', 'status', '--porcelain'), '')
    const commit = await call('git', 'rev-parse', 'HEAD')
    for (const ref of ['main', 'v1.0.0^{commit}']) {
      assert.equal(await call('git', '--git-dir', remote, 'rev-parse', ref), commit, `${ref} is pushed`)
    }
  })

  it('changes nothing if a precondition fails, and says which', async (t) => {
    const { call, callFailing, project, readVersions } = await createProject(t)
    const before = await readVersions()
    const expectRefusal = async (reason: RegExp, version = '1.0.0') => {
      assert.match(await callFailing('npm', 'version', version), reason)
      assert.deepEqual(await readVersions(), before)
      assert.equal(await call('git', 'tag'), '')
    }
    await expectRefusal(/0\.0\.1 is not a version after/, '0.0.1')

    await writeFile(join(project, 'new.txt'), '')
    await expectRefusal(/commit or remove these changes first:\n\?\? new\.txt/)
    await rm(join(project, 'new.txt'))

    await call('git', 'switch', '--quiet', '--create', 'other')
    await expectRefusal(/on the branch main, not other/)
    await call('git', 'switch', '--quiet', 'main')

    await call('git', 'commit', '--quiet', '--allow-empty', '--message=later')
    await call('git', 'push', '--quiet')
    await call('git', 'reset', '--quiet', '--hard', 'HEAD~')
    await expectRefusal(/the upstream has newer commits/)
    await call('git', 'merge', '--quiet', '--ff-only', 'origin/main')

    await writeFile(join(project, 'CHANGELOG.md'), OLD_CHANGELOG.replace(/### Added[^#]*/, ''))
    await call('git', 'commit', '--quiet', '--all', '--message=empty')
    await expectRefusal(/nothing unreleased/)
  })
})

/** Accepts packages as the registry of npm does, and knows those that it accepted. */
async function startRegistry(t: TestContext) {
  const published = new Map<string, Record<string, unknown>>()
  const server = createServer(async (request, response) => {
    const name = decodeURIComponent((request.url ?? '').slice(1))
    let body = ''
    for await (const chunk of request) body += chunk
    if (request.method === 'PUT') published.set(name, JSON.parse(body))
    const found = published.get(name)
    response.writeHead(found ? 200 : 404, { 'Content-Type': 'application/json' }).end(JSON.stringify(found ?? {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return { published, host: `127.0.0.1:${(server.address() as AddressInfo).port}` }
}

describe('npm run release -- publish', () => {
  it('publishes the packages of the tag that the registry does not have, and refuses another tag', async (t) => {
    const { call, callFailing, folder } = await createProject(t)
    const { published, host } = await startRegistry(t)
    await writeFile(join(folder, '.npmrc'), `registry=http://${host}/\n//${host}/:_authToken=secret\n`)
    const version = '1.0.0-beta.1'
    await call('npm', 'version', version)
    assert.match(
      await callFailing(process.execPath, 'scripts/release.ts', 'publish', 'v1.0.0'),
      /the tag v1\.0\.0 does not belong to/,
    )
    assert.equal(published.size, 0)

    const artist = { name: '@menagerie/artist', 'dist-tags': { next: version }, versions: { [version]: { version } } }
    published.set(artist.name, artist)
    // Only a workflow can prove where it built a package.
    await call('npm', 'run', 'release', '--', 'publish', `v${version}`, '--ignore-scripts', '--provenance=false')
    assert.equal(published.get(artist.name), artist)
    for (const name of ['menagerie', '@menagerie/client']) {
      const entry = published.get(name)
      assert.deepEqual(entry?.['dist-tags'], { next: version })
      const versions = entry?.versions as Record<string, any>
      assert.equal(versions[version].repository.url, 'git+https://github.com/ann/animals.git')
    }
  })
})
