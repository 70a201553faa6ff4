// The endpoints of v5 with limits, metrics and access log: below /counted, and below /uncounted without the counting of
// update checks.
import { openServices } from '../../src/app/open-services.ts'
import { readConfig } from '../../src/config/config.ts'
import { createBanCheck } from '../../src/http/api/ban-checks.ts'
import { buildProductRoutes } from '../../src/http/api/product/routes.ts'
import { listen } from '../../src/http/kernel/connections.ts'
import { createHttpServer } from '../../src/http/kernel/http-server.ts'
import { createLimits, readBucketLimits } from '../../src/http/kernel/limits.ts'
import { batchRequests, createAccessLog, createRequestMetrics } from '../../src/http/kernel/observers.ts'
import { openLogging, readLogOptions } from '../../src/platform/logging/index.ts'

const config = readConfig(process.env)
const { log, writeAccess } = openLogging(readLogOptions(config))
const services = await openServices(config, log)
const uncounted = { ...services, adoption: { ...services.adoption, count() {} } }
const routes = [
  ...buildProductRoutes(services, { access: 'open', prefix: '/counted' }),
  ...buildProductRoutes(uncounted, { access: 'open', prefix: '/uncounted' }),
]
const server = createHttpServer({
  routes,
  log,
  observe: batchRequests([
    createRequestMetrics(routes).observe,
    ...(writeAccess ? [createAccessLog(writeAccess, routes)] : []),
  ]).observe,
  limits: createLimits(readBucketLimits(config)),
  checkBan: createBanCheck({ ...services, operatorPath: '/operator', onRefused: () => {} }),
  publicUrl: '',
  trustProxy: [],
})
console.log(await listen(server, '127.0.0.1', 0))
