import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const hasOpenssl = () => spawnSync('openssl', ['version']).status === 0

/** Creates a self-signed certificate for one day. Only clients that name it as an authority trust it. */
export function createCertificate(folder: string, name: string) {
  const [key, cert] = [join(folder, `${name}.key`), join(folder, `${name}.crt`)]
  const kind = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1']
  const about = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`]
  execFileSync('openssl', [...kind, '-keyout', key, '-out', cert, ...about], { stdio: 'pipe' })
  return { file: cert, key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
}
