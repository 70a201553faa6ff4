// How services of this kind are usually built: Express 4 with helmet, cors, a rate limiter and a request logger, and a handler
// that reads the folder for each request.
import { createWriteStream, readdirSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import cors from 'cors'
import express from 'express'
import rateLimit from 'express-rate-limit'
import helmet from 'helmet'
import morgan from 'morgan'

const [, , folder = '.', log = '/dev/null'] = process.argv
const app = express()
app.use(helmet())
app.use(cors())
app.use(rateLimit({ windowMs: 60_000, limit: 1_000_000_000, standardHeaders: true }))
app.use(morgan('combined', { stream: createWriteStream(log) }))
app.get('/api/v1/animals/:endpoint', (request, response) => {
  const files = readdirSync(join(folder, request.params.endpoint))
  const file = files[Math.floor(Math.random() * files.length)]
  const message = `${request.protocol}://${request.get('host')}/media/${request.params.endpoint}/${file}`
  response.json({ success: true, status: 200, category: 'animals', endpoint: request.params.endpoint, message })
})
const server = app.listen(0, '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
)
