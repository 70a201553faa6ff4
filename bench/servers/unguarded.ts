// The service without limits, bans, metrics and log lines: its services, its tables and its kernel, and nothing that looks on.

import { openServices } from '../../src/app/services.ts'
import { readConfig } from '../../src/config/config.ts'
import { developer } from '../../src/http/api/developer/routes.ts'
import { random } from '../../src/http/api/random/v1.ts'
import { createApp } from '../../src/http/kernel/app.ts'
import { listen } from '../../src/http/kernel/connections.ts'
import { openLogging, readLogOptions } from '../../src/platform/logging/index.ts'

const config = readConfig(process.env)
const { log } = openLogging(readLogOptions(config))
const services = await openServices(config, log)
const server = createApp({
  routes: [...developer(services), ...random(services.content)],
  log,
  observe: () => {},
  publicUrl: '',
  trustProxy: [],
})
console.log(await listen(server, '127.0.0.1', 0))
