import { UsageError } from '../../errors/index.ts'
import { type ArgumentSpec, defineCommand } from '../command.ts'
import { defineChange } from '../publish-options.ts'
import { printable } from '../text.ts'

const tier = {
  name: 'tier',
  help: 'Number of the patron tier: 2 is "favorite", 3 is "trusted".',
  choices: ['2', '3'],
} as const satisfies ArgumentSpec

export const tierShow = defineCommand({
  name: 'tier show',
  summary: 'Shows the resources and benefits of patron tiers.',
  settings: ['CONTENT_DIR'],
  arguments: [{ ...tier, optional: true }],
  examples: ['tier show', 'tier show 3 --json'],
  run: async ({ service, args }) => {
    const requested = args.tier ? [args.tier] : tier.choices
    const tiers = await Promise.all(requested.map((name) => service.readTier(name)))
    const text = tiers.map(({ tier, name, resources, benefits }) =>
      [
        `Tier ${tier}, ${name}`,
        ...Object.entries(resources).map(([resource, version]) => `  ${printable(`${resource} ${version}`)}`),
        ...benefits.map((benefit) => `  - ${printable(benefit)}`),
      ].join('\n'),
    )
    return { text: text.join('\n\n'), value: { tiers } }
  },
})

export const tierSet = defineChange({
  name: 'tier set',
  summary: 'Changes the resources or benefits of a patron tier.',
  arguments: [tier],
  options: {
    resource: {
      multiple: true,
      value: 'name=version',
      help: 'Sets the version of a named resource that patrons of this tier get. The service does not serve the resource itself.',
    },
    remove: { multiple: true, value: 'name', help: 'Removes a resource.' },
    benefit: {
      multiple: true,
      value: 'text',
      help: 'A benefit. All given benefits together replace the current list.',
    },
  },
  examples: ['tier set 2 --resource maps=1.4.0', 'tier set 3 --benefit "Early access" --benefit "A badge"'],
  change: async ({ service, args: { tier }, options: { resource, remove, benefit } }, dryRun) => {
    if (resource.length + remove.length + benefit.length === 0)
      throw new UsageError('Use at least one of --resource, --remove and --benefit.')
    const resources = Object.fromEntries([...resource.map(parseResource), ...remove.map((name) => [name, null])])
    const input = { tier, resources, benefits: benefit.length > 0 ? [...benefit] : undefined }
    const change = await service.apply('tier set', input, dryRun)
    return [`Changed tier ${tier}.`, { tier: Number(tier), ...change }]
  },
})

function parseResource(text: string): [string, string] {
  const [, name, version] = /^([^=]+)=(.+)$/.exec(text) ?? []
  if (name === undefined || version === undefined)
    throw new UsageError(`--resource must be a name and a version such as maps=1.4.0, not "${text}".`)
  return [name, version]
}
