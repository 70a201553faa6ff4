// The service without limits, bans, metrics and access log: only its services, routes and kernel.
import { openServices } from '../../src/app/open-services.ts'
import { readConfig } from '../../src/config/config.ts'
import { buildDeveloperRoutes } from '../../src/http/api/developer.ts'
import { buildRandomRoutes } from '../../src/http/api/random/routes.ts'
import { listen } from '../../src/http/kernel/connections.ts'
import { createHttpServer } from '../../src/http/kernel/http-server.ts'
import { openLogging, readLogOptions } from '../../src/platform/logging/index.ts'

const config = readConfig(process.env)
const { log } = openLogging(readLogOptions(config))
const services = await openServices(config, log)
const server = createHttpServer({
  routes: [...buildDeveloperRoutes(services), ...buildRandomRoutes(services.content)],
  log,
  observe: () => {},
  publicUrl: '',
  trustProxy: [],
})
console.log(await listen(server, '127.0.0.1', 0))
