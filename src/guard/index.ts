export { type Client, type ClientOptions, ClientRequest, type Clients, createClients } from './clients.ts'
export { type Budget, createLimiter, type Limiter, type LimiterOptions, type Taken } from './limiter.ts'
export { networkOf } from './network.ts'
export { createTokens, scopes, type Token, type Tokens } from './tokens.ts'
