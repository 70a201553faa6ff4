// For comparison: Fastify with its usual plugins for headers, CORS and rate limits, and one log line per request.
import cors from '@fastify/cors'
import helmet from '@fastify/helmet'
import rateLimit from '@fastify/rate-limit'
import fastify from 'fastify'

const app = fastify({ logger: { file: process.argv[2] ?? '/dev/null' } })
await app.register(helmet)
await app.register(cors)
await app.register(rateLimit, { max: 1_000_000_000 })
app.get('/api/v1/version', () => ({
  success: true,
  status: 200,
  code: 200,
  version: '1.0.0',
  node: process.versions.node,
  commit: 'x'.repeat(40),
}))
console.log(await app.listen({ host: '127.0.0.1', port: 0 }))
