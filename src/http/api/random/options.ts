import Type from 'typebox'
import { InvalidParameter } from '../../../errors/index.ts'
import { type PickOptions, type PictureType, pictureTypeNames } from '../../../features/content/index.ts'

const LONGEST_SEED = 1024
const MAX_ITEMS = 50

export const seed = Type.String({
  minLength: 1,
  maxLength: LONGEST_SEED,
  description: 'Makes the choice repeatable while the collection stays the same.',
})

export const count = Type.Integer({
  minimum: 2,
  maximum: MAX_ITEMS,
  description: 'Several at once: `message` becomes an array, without repeats while the collection has enough.',
})

const typeList = (description: string) =>
  Type.String({
    description: `${description} Comma-separated: ${pictureTypeNames.join(', ')}.`,
    examples: ['gif,webp'],
    rule,
  })

const rule = `a comma-separated list of ${pictureTypeNames.join(', ')}`

export const types = typeList('Picture types to choose from.')
export const exclude = typeList('Picture types to leave out.')

export const format = (...formats: string[]) =>
  Type.Enum(formats, { description: 'Instead of what the `Accept` header prefers.' })

interface PickQuery {
  readonly seed?: string | undefined
  readonly type?: string | undefined
  readonly exclude?: string | undefined
}

export function readPickOptions({ seed, type, exclude }: PickQuery): PickOptions {
  return { seed, types: readTypes('type', type), exclude: readTypes('exclude', exclude) }
}

function readTypes(parameter: string, text: string | undefined): PictureType[] | undefined {
  if (text === undefined) return undefined
  return text.split(',').map((given) => {
    const name = given.trim().toLowerCase()
    const found = pictureTypeNames.find((type) => type === (name === 'jpg' ? 'jpeg' : name))
    if (!found) throw new InvalidParameter(parameter, rule, { allowed: pictureTypeNames })
    return found
  })
}
