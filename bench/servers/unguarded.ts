// The service without limits, bans, metrics and log lines: its rooms, its tables and its kernel, and nothing that looks on.
import { readConfig } from '../../src/config.ts'
import { createApp } from '../../src/http/app.ts'
import { listen } from '../../src/http/listen.ts'
import { developer } from '../../src/http/v1/developer.ts'
import * as v1 from '../../src/http/v1/index.ts'
import { logOptionsOf } from '../../src/log-options.ts'
import { openLogging } from '../../src/logging/index.ts'
import { openRooms } from '../../src/rooms.ts'

const config = readConfig(process.env)
const { log } = openLogging(logOptionsOf(config))
const rooms = await openRooms(config, log)
const server = createApp({
  routes: [...developer(rooms), ...v1.random(rooms.content)],
  log,
  observe: () => {},
  publicUrl: '',
  trustProxy: [],
})
console.log(await listen(server, '127.0.0.1', 0))
