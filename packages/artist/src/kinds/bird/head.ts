import { drawHeadAccessories, type HeadAccessories } from '../../accessories/headwear.ts'
import { BLUSH, darken, lineColourOn, mostContrasting } from '../../colour.ts'
import { ellipsePath } from '../../curves.ts'
import { drawBlush, drawEyes, drawSideEye, type EyeStyle } from '../../face.ts'
import type { Sketch } from '../../sketch.ts'
import { bothSides, circle, ellipse, path, place } from '../../svg.ts'
import { type BeakMood, drawFrontBeak, drawSideBeak } from './beaks.ts'
import { breastColour, drawCrest, type Plumage } from './parts.ts'
import type { Species } from './species.ts'

type BirdHead = { eyes: EyeStyle; beak: BeakMood } & HeadAccessories

/** The radius of a head before it is scaled for its species. */
export const HEAD_RADIUS = 78

const headColour = (bird: Species, plumage: Plumage) => (bird.face === 'hood' ? plumage.wing : plumage.main)

/** The breast reaches the beak, so the beak gets a contrasting colour. */
const plumageForBeak = (bird: Species, plumage: Plumage): Plumage =>
  bird.face === 'breast'
    ? { ...plumage, bright: mostContrasting(breastColour(plumage), ['#ffd35c', '#6a5560']) }
    : plumage

function drawFrontMarkings(bird: Species, plumage: Plumage): string {
  const { front, bright, wing } = plumage
  switch (bird.face) {
    case 'breast':
      return ellipse(0, 92, 78, 86, breastColour(plumage))
    case 'discs':
      return bothSides(circle(34, 2, 40, front)) + path('M-12-90H12L0-10Z', wing)
    case 'cheeks':
      return bothSides(circle(52, 22, 17, bright))
    case 'penguin':
      return bothSides(circle(30, 16, 38, front)) + ellipse(0, 56, 58, 40, front)
    case 'bib':
      return ellipse(0, 40, 62, 66, front)
    default:
      return ''
  }
}

export function drawFrontHead(look: BirdHead, bird: Species, plumage: Plumage, sketch: Sketch): string {
  const { front } = plumage
  const eyeBackground =
    bird.face === 'discs' || bird.face === 'penguin' || bird.face === 'bib' ? front : headColour(bird, plumage)
  const eye = {
    halfDistance: bird.face === 'discs' ? 34 : bird.beak === 'toucan' ? 40 : 33,
    y: 0,
    r: bird.face === 'discs' ? 20 : 13.5,
    lid: darken(eyeBackground, 0.1),
    stroke: lineColourOn(eyeBackground),
    ...(bird.face === 'discs' && { iris: '#ffc94d' }),
  }
  const wattle = bird.crest === 'comb' ? bothSides(ellipse(7, 46, 9, 14, '#e2574c')) : ''
  return [
    place({ x: 0, y: -HEAD_RADIUS }, drawCrest(bird.crest, plumage, sketch)),
    sketch.shadedShape(
      ellipsePath(0, 0, HEAD_RADIUS * 1.04, HEAD_RADIUS),
      headColour(bird, plumage),
      drawFrontMarkings(bird, plumage),
      8,
    ),
    bird.face === 'cheeks' ? '' : drawBlush(54, 24, 11),
    wattle,
    place({ x: 0, y: 18 }, drawFrontBeak(bird, look.beak, plumageForBeak(bird, plumage))),
    drawEyes(look.eyes, eye, sketch),
    drawHeadAccessories(look, eye, { topY: -HEAD_RADIUS + 4, earX: 46, scale: 0.8, coat: headColour(bird, plumage) }),
  ].join('')
}

function drawSideMarkings(bird: Species, plumage: Plumage): string {
  const { front, bright } = plumage
  switch (bird.face) {
    case 'breast':
      return ellipse(-48, 60, 66, 74, breastColour(plumage))
    case 'discs':
      return circle(-22, 0, 46, front)
    case 'cheeks':
      return circle(4, 26, 19, bright)
    case 'penguin':
      return ellipse(-36, 18, 52, 46, front)
    case 'bib':
      return ellipse(-40, 40, 66, 66, front)
    default:
      return ''
  }
}

export function drawSideHead(look: BirdHead, bird: Species, plumage: Plumage, sketch: Sketch): string {
  const eyeBackground = bird.face === 'discs' || bird.face === 'penguin' ? plumage.front : headColour(bird, plumage)
  const eye = {
    halfDistance: 24,
    y: -6,
    r: bird.face === 'discs' ? 19 : 14,
    lid: darken(eyeBackground, 0.1),
    stroke: lineColourOn(eyeBackground),
    ...(bird.face === 'discs' && { iris: '#ffc94d' }),
  }
  const wattle = bird.crest === 'comb' ? ellipse(-60, 44, 9, 15, '#e2574c') : ''
  return [
    place({ x: 0, y: -HEAD_RADIUS }, drawCrest(bird.crest, plumage, sketch)),
    wattle,
    place({ x: -HEAD_RADIUS + 8, y: 6 }, drawSideBeak(bird, look.beak, plumageForBeak(bird, plumage))),
    sketch.shadedShape(
      ellipsePath(0, 0, HEAD_RADIUS, HEAD_RADIUS),
      headColour(bird, plumage),
      drawSideMarkings(bird, plumage),
      8,
    ),
    circle(-8, 26, 11, BLUSH, 'opacity=".4"'),
    drawSideEye(look.eyes, -28, eye, sketch),
    drawHeadAccessories({ ...look, eyewear: 'none' }, eye, {
      topY: -HEAD_RADIUS + 4,
      earX: 30,
      scale: 0.8,
      coat: headColour(bird, plumage),
    }),
  ].join('')
}
