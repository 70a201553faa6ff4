/** Names of the machine itself: what goes there is on no network. */
const LOOPBACK = /^(?:localhost|(?:[a-z0-9-]+\.)+localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i

/**
 * Whether a token may be typed into a page of this address. The browser knows best how it came here: a proxy that ends
 * TLS may not tell us, and may not keep the name.
 */
export const isPrivateWay = ({ protocol, hostname }: Pick<URL, 'protocol' | 'hostname'>): boolean =>
  protocol === 'https:' || LOOPBACK.test(hostname)
