import { autumn } from './autumn.ts'
import { blossom } from './blossom.ts'
import { forest } from './forest.ts'
import { hills } from './hills.ts'
import { meadow } from './meadow.ts'
import { mountains } from './mountains.ts'
import { night } from './night.ts'
import { rays } from './rays.ts'
import { roofs } from './roofs.ts'
import { room } from './room.ts'
import { seaside } from './seaside.ts'
import { snow } from './snow.ts'
import { spot } from './spot.ts'

export const landScenes = {
  spot,
  rays,
  hills,
  night,
  meadow,
  snow,
  seaside,
  roofs,
  room,
  autumn,
  forest,
  blossom,
  mountains,
}
