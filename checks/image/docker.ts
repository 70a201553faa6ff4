// The engine of Docker, where one runs.
import { randomUUID } from 'node:crypto'
import { type Container, type Engine, MACHINE, ROOT, run, runOrFail } from './engine.ts'

const docker = (...args: string[]) => runOrFail('docker', args)

export async function openDocker(): Promise<Engine | undefined> {
  // The client may be installed without an engine.
  if ((await run('docker', ['info'])).code !== 0) return undefined
  const name = `menagerie-check-${randomUUID().slice(0, 8)}`
  const imageOf = (architecture: string) => `${name}:${architecture}`
  const built: string[] = []
  const started: string[] = []
  return {
    name: 'docker',
    async build(architecture, buildArguments) {
      const args = Object.entries(buildArguments).flatMap(([key, value]) => ['--build-arg', `${key}=${value}`])
      const options = ['--platform', `linux/${architecture}`, '--tag', imageOf(architecture)]
      await docker('build', ...options, ...args, ROOT)
      built.push(imageOf(architecture))
    },
    async readConfig() {
      const [image] = JSON.parse(await docker('image', 'inspect', imageOf(MACHINE)))
      return {
        user: image.Config.User,
        labels: image.Config.Labels,
        healthCommand: image.Config.Healthcheck.Test.slice(1),
      }
    },
    async listFolder(architecture, path) {
      const id = (await docker('create', '--platform', `linux/${architecture}`, imageOf(architecture))).trim()
      started.push(id)
      // The engine cannot run programs of another architecture, but copies their files.
      const listing = await runOrFail('sh', ['-c', `docker cp "${id}:${path}" - | tar -t`])
      const names = listing.split('\n').map((line) => line.split('/')[1] ?? '')
      return [...new Set(names)].filter((entry) => entry !== '')
    },
    async start(): Promise<Container> {
      const rights = ['--read-only', '--cap-drop=ALL', '--security-opt=no-new-privileges', '--network=none']
      const places = ['--tmpfs=/tmp', `--volume=${name}:/data`]
      const id = (await docker('run', '--detach', ...rights, ...places, imageOf(MACHINE))).trim()
      started.push(id)
      return {
        exec: (command) => run('docker', ['exec', id, ...command]),
        async stop(seconds) {
          await docker('stop', '--time', String(seconds), id)
          const code = Number(await docker('inspect', '--format', '{{.State.ExitCode}}', id))
          // The code of a process that SIGKILL ended.
          return code === 137 ? undefined : code
        },
      }
    },
    async [Symbol.asyncDispose]() {
      for (const id of started) await run('docker', ['rm', '--force', id])
      for (const image of built) await run('docker', ['image', 'rm', '--force', image])
      await run('docker', ['volume', 'rm', '--force', name])
    },
  }
}
