/** Names of the machine itself: such traffic never leaves it. */
const LOOPBACK = /^(?:localhost|(?:[a-z0-9-]+\.)+localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i

export const isLoopbackName = (hostname: string) => LOOPBACK.test(hostname)

/**
 * Whether a token may be entered into a page of this address. Only the browser knows: a proxy that terminates TLS may
 * not tell the service, and may change the host name.
 */
export const isSafeForToken = ({ protocol, hostname }: Pick<URL, 'protocol' | 'hostname'>): boolean =>
  protocol === 'https:' || isLoopbackName(hostname)
