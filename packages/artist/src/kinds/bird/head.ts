import { drawHeadAccessories, type HeadAccessories } from '../../accessories/headwear.ts'
import { BLUSH, type Colour, darken, lineColourOn } from '../../colour.ts'
import { ellipsePath } from '../../curves.ts'
import { drawBlush, drawEyes, drawSideEye, type EyeStyle } from '../../face.ts'
import type { Sketch } from '../../sketch.ts'
import { bothSides, circle, ellipse, line, opacity, path, place } from '../../svg.ts'
import { type BeakMood, drawFrontBeak, drawSideBeak } from './beaks.ts'
import { COMB, drawCrest } from './parts.ts'
import type { Plumage, Species } from './species/species.ts'

export type BirdHead = { eyes: EyeStyle; beak: BeakMood } & HeadAccessories

/** The radius of a head before it is scaled for its species. */
export const HEAD_RADIUS = 78

export const headColour = (bird: Species, plumage: Plumage): Colour =>
  bird.face === 'hood' ? plumage.mark : plumage.main

function drawFrontMarkings(bird: Species, { front, mark, main, wing }: Plumage): string {
  switch (bird.face) {
    case 'breast':
      return ellipse(0, 75, 75, 85, mark)
    case 'cap':
      return (
        ellipse(0, 30, 90, 75, '#fffaf2') +
        path('M-100-100H100V-15Q0-75-100-15Z', mark) +
        line('M-90-8Q-70-12-60-6M90-8Q70-12 60-6', mark, 11)
      )
    case 'mask':
      return ellipse(0, 26, 34, 28, mark)
    case 'discs':
      return bothSides(circle(34, 2, 40, front)) + path('M-12-90H12L0-10Z', wing)
    case 'penguin':
      return (
        bothSides(ellipse(60, 30, 26, 32, mark)) + bothSides(circle(30, 14, 37, front)) + ellipse(0, 60, 55, 40, front)
      )
    case 'puffin':
      return bothSides(ellipse(40, 10, 36, 45, front)) + path('M-14-90H14Q10-20 20 20H-20Q-10-20-14-90Z', main)
    case 'cheeks':
      return ellipse(0, 24, 60, 60, front) + bothSides(circle(55, 24, 17, mark))
    case 'mate':
      return ellipse(0, 26, 65, 65, mark)
    case 'macaw':
      return bothSides(ellipse(45, 12, 30, 34, front) + line('M40 30h18M40 40h14', mark, 3, opacity(0.7)))
    case 'bib':
      return ellipse(0, 40, 60, 65, front)
    default:
      return ''
  }
}

/** The colour around the eyes. */
export function eyeBackground(bird: Species, plumage: Plumage): Colour {
  switch (bird.face) {
    case 'discs':
    case 'penguin':
    case 'puffin':
    case 'macaw':
    case 'bib':
    case 'cheeks':
      return plumage.front
    case 'cap':
      return '#fffaf2'
    case 'mate':
    case 'breast':
      return plumage.mark
    default:
      return headColour(bird, plumage)
  }
}

const createEye = (bird: Species, plumage: Plumage, halfDistance: number, y: number, r: number) => {
  const background = eyeBackground(bird, plumage)
  return {
    halfDistance,
    y,
    r,
    lid: darken(background, 0.1),
    stroke: lineColourOn(background, headColour(bird, plumage)),
    ...(bird.face === 'discs' && { iris: '#fc5' }),
  }
}

export function drawFrontHead(look: BirdHead, bird: Species, plumage: Plumage, sketch: Sketch): string {
  const eye =
    bird.face === 'discs'
      ? createEye(bird, plumage, 34, 0, 20)
      : createEye(bird, plumage, bird.beak === 'puffin' || bird.beak === 'hook' ? 40 : 36, -2, 14)
  const coat = headColour(bird, plumage)
  return [
    place({ x: 0, y: -HEAD_RADIUS }, drawCrest(bird.crest, plumage, sketch)),
    sketch.shadedShape(ellipsePath(0, 0, HEAD_RADIUS * 1.04, HEAD_RADIUS), coat, drawFrontMarkings(bird, plumage), 8),
    bird.face === 'cheeks' || bird.face === 'hood' ? '' : drawBlush(55, 26, 11),
    bird.crest === 'comb' ? bothSides(ellipse(7, 45, 9, 14, COMB)) : '',
    place({ x: 0, y: 18 }, drawFrontBeak(bird.beak, look.beak, plumage, sketch)),
    drawEyes(look.eyes, eye, sketch),
    drawHeadAccessories(look, eye, { topY: -HEAD_RADIUS + 4, earX: 45, scale: 0.8, coat }),
  ].join('')
}

function drawSideMarkings(bird: Species, { front, mark, main }: Plumage): string {
  switch (bird.face) {
    case 'breast':
      return ellipse(-45, 60, 65, 65, mark)
    case 'cap':
      return (
        circle(0, 20, 90, '#fffaf2') +
        path('M-100-100H100V20Q50-10 20-35Q-20-50-100-25Z', mark) +
        line('M4-2Q40-4 90 6', mark, 12)
      )
    case 'mask':
      return ellipse(-70, 24, 36, 38, mark)
    case 'discs':
      return circle(-22, 0, 45, front)
    case 'penguin':
      return ellipse(16, 34, 22, 34, mark) + ellipse(-36, 20, 50, 45, front) + ellipse(-30, 65, 40, 40, front)
    case 'puffin':
      return ellipse(-16, 10, 50, 45, front) + path('M-90-90H0V-35Q-50-35-90-10Z', main)
    case 'cheeks':
      return ellipse(-45, 14, 60, 65, front) + circle(6, 26, 19, mark)
    case 'mate':
      return ellipse(-50, 20, 60, 65, mark)
    case 'macaw':
      return ellipse(-34, 8, 40, 38, front) + line('M-35 25h20M-35 35h16', mark, 3, opacity(0.7))
    case 'bib':
      return ellipse(-36, 34, 60, 70, front) + circle(-28, -6, 26, mark)
    default:
      return ''
  }
}

export function drawSideHead(look: BirdHead, bird: Species, plumage: Plumage, sketch: Sketch): string {
  // The small heads on long necks have larger eyes.
  const large = bird.build === 'swan' || bird.build === 'flamingo'
  const eye = createEye(bird, plumage, 24, large ? -8 : -6, bird.face === 'discs' ? 19 : large ? 19 : 15)
  const coat = headColour(bird, plumage)
  return [
    place({ x: 0, y: -HEAD_RADIUS }, drawCrest(bird.crest, plumage, sketch)),
    bird.crest === 'comb' ? ellipse(-60, 40, 10, 17, COMB) : '',
    place({ x: -HEAD_RADIUS + 8, y: 6 }, drawSideBeak(bird.beak, look.beak, plumage, sketch)),
    sketch.shadedShape(ellipsePath(0, 0, HEAD_RADIUS, HEAD_RADIUS), coat, drawSideMarkings(bird, plumage), 8),
    bird.face === 'hood' ? '' : circle(-6, 28, 12, BLUSH, opacity(0.45)),
    drawSideEye(look.eyes, -28, eye, sketch),
    drawHeadAccessories({ ...look, eyewear: 'none' }, eye, { topY: -HEAD_RADIUS + 4, earX: 30, scale: 0.8, coat }),
  ].join('')
}

/** Eyes that no feature of the face hides: a friend of the bird in the picture. */
export const plainHead = (eyes: EyeStyle): BirdHead => ({
  eyes,
  beak: 'smiling',
  headwear: 'none',
  eyewear: 'none',
  accent: 'red',
})
