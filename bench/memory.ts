// The service in containers of 256 and 512 MB: many photos at once, a long load, and hostile files. No process may be
// killed because memory runs out.
import { attacksByFormat } from '../test/features/images/attacks/index.ts'
import { startPictureSource } from '../test/kit/picture-source.ts'
import { startInCgroup } from './cgroup.ts'
import { bench, benchScope, childPid, startMenagerie, startServer, stopServer } from './harness.ts'
import { readMegabytes } from './process-usage.ts'

const LIMITS = [256, 512]
const PHOTOS = 60
const LOAD_CLIENTS = 40
const LOAD_SECONDS = 12
const ATTACK_SIDE = 6000
const MEMORY_INTERVAL_MS = 20

await bench(async () => {
  const large = await startServer('bench/servers/pictures.ts', ['3000', '2000'])
  const usual = await startServer('bench/servers/pictures.ts')
  const hostile = await startPictureSource(benchScope)
  const files: string[] = []
  for (const [format, attacks] of Object.entries(attacksByFormat))
    for (const { name, build } of attacks)
      files.push(hostile.put(`/${format}/${encodeURIComponent(name)}`, { type: '', body: await build(ATTACK_SIDE) }))

  console.log('| container | load | replies by status | peak of the service, MB | killed |\n|---:|---|---|---:|---:|')
  for (const limit of LIMITS) {
    const FILTER_ALLOW_HOSTS = [large, usual, hostile.url].map((url) => new URL(url).host).join(',')
    const { started: url, countKills } = await startInCgroup(limit * 2 ** 20, () =>
      startMenagerie({ FILTER_ALLOW_HOSTS }),
    )
    const pid = childPid(url)

    async function play(name: string, clients: number, nextImage: () => string | undefined) {
      const statuses = new Map<number, number>()
      let peak = 0
      const watching = setInterval(() => (peak = Math.max(peak, readMegabytes(pid))), MEMORY_INTERVAL_MS)
      await Promise.all(
        Array.from({ length: clients }, async () => {
          for (let image = nextImage(); image !== undefined; image = nextImage()) {
            const response = await fetch(`${url}/api/v1/filter/blur?image=${encodeURIComponent(image)}`)
            await response.arrayBuffer()
            statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
          }
        }),
      )
      clearInterval(watching)
      const replies = [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')
      console.log(`| ${limit} MiB | ${name} | ${replies} | ${peak.toFixed(0)} | ${countKills()} |`)
    }

    let number = 0
    await play(`${PHOTOS} photos of 6 megapixels at once`, PHOTOS, () =>
      number < PHOTOS ? `${large}/${number++}.jpg` : undefined,
    )
    const end = performance.now() + LOAD_SECONDS * 1000
    await play(`${LOAD_CLIENTS} clients, 1920x1080, ${LOAD_SECONDS} s`, LOAD_CLIENTS, () =>
      performance.now() < end ? `${usual}/${number++}.jpg` : undefined,
    )
    let attack = 0
    await play(`${files.length} hostile files, 4 at once`, 4, () => files[attack++])
    stopServer(url)
  }
})
