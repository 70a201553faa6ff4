export { type Client, type ClientOptions, ClientRequest, type Clients, createClients } from './clients.ts'
export { createTokens, scopes, type Token, type Tokens } from './tokens.ts'
