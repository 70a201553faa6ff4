import { getSystemErrorMessage } from 'node:util'
import { ApiError, OperatorError } from '../errors/index.ts'

/** The message for the user, or undefined if the error is a bug, which needs its stack. */
export function describeError(error: unknown): string | undefined {
  if (error instanceof OperatorError || error instanceof ApiError) return error.message
  const { errno, path, syscall } = error as NodeJS.ErrnoException
  return errno && syscall ? `${path ?? 'A file'} cannot be used: ${getSystemErrorMessage(errno)}.` : undefined
}

const networkProblems: Record<string, string> = {
  ENOTFOUND: 'the host does not exist',
  EAI_AGAIN: 'the host name cannot be resolved at the moment',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the server closed the connection',
  UND_ERR_SOCKET: 'the server closed the connection',
  ETIMEDOUT: 'the server does not reply',
  UND_ERR_CONNECT_TIMEOUT: 'the server does not reply',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the server does not use HTTPS on this port',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'the server does not use HTTPS on this port',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
}
for (const code of [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]) {
  networkProblems[code] =
    'its certificate is self-signed or from an unknown authority; name the file of a certificate that you trust in ' +
    'NODE_EXTRA_CA_CERTS'
}

/** Why `fetch` failed. Starts in lower case and has no full stop. */
export function describeNetworkError(error: Error & { cause?: { code?: string; message?: string } }): string {
  if (error.name === 'TimeoutError') return 'the server does not reply'
  const { code = '', message = error.message } = error.cause ?? {}
  return networkProblems[code] ?? (code || message)
}
