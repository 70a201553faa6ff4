import { gardenBirds } from './garden.ts'
import { groundBirds } from './ground.ts'
import { tropicalBirds } from './tropical.ts'
import { waterBirds } from './water.ts'

export const species = { ...gardenBirds, ...waterBirds, ...tropicalBirds, ...groundBirds }
export type SpeciesName = keyof typeof species
