import { applications, type Release } from './release.ts'

/** The SHA-256 digests of the files in the example releases (content/app/releases.yaml). */
const EXAMPLE_FILES = [
  '74b0b2ae91c20329bfa22c3ac06623c86bbb140f37d80f3ae483493597923a1a',
  'bc0a88309eec89a128b52ba931169d62254f81288fb91ee4d26b02a3d7639b6d',
]

/** The example releases that are offered to clients, such as "launcher 1.0.0". */
export const findExampleReleases = (catalogue: Readonly<Record<string, readonly Release[]>>): string[] =>
  applications.flatMap((application) =>
    (catalogue[application] ?? [])
      .filter(({ assets, withdrawn }) => !withdrawn && assets.some(({ sha256 }) => EXAMPLE_FILES.includes(sha256)))
      .map(({ version }) => `${application} ${version}`),
  )
