import { contrast, darker, INK } from '../../colour.ts'
import { oval } from '../../curves.ts'
import { type EyeStyle, eyes, loneEye } from '../../faces/eyes.ts'
import { type Adorned, adornments, blush } from '../../faces/head.ts'
import { mostContrasting } from '../../palette.ts'
import type { Sketch } from '../../sketch.ts'
import { both, circle, ellipse, path, place } from '../../svg.ts'
import { type BeakMood, frontBeak, sideBeak } from './beaks.ts'
import { crest, type Plumage } from './parts.ts'
import type { Species } from './species.ts'

export type HeadLook = { eyes: EyeStyle; beak: BeakMood } & Adorned

/** The radius of a head before it is scaled for its species. */
export const BALL = 78

const hooded = (bird: Species, plumage: Plumage) => (bird.face === 'hood' ? plumage.wing : plumage.main)

export const breastOf = ({ bright, main, front }: Plumage) => (contrast(bright, main) > 110 ? bright : front)

/** A red breast reaches the beak, which needs contrast to it. */
const beakColours = (bird: Species, plumage: Plumage): Plumage =>
  bird.face === 'breast' ? { ...plumage, bright: mostContrasting(breastOf(plumage), ['#ffd35c', '#6a5560']) } : plumage

function frontFace(bird: Species, plumage: Plumage): string {
  const { front, bright, wing } = plumage
  switch (bird.face) {
    case 'breast':
      return ellipse(0, 92, 78, 86, breastOf(plumage))
    case 'discs':
      return both(circle(34, 2, 40, front)) + path('M-12-90H12L0-10Z', wing)
    case 'cheeks':
      return both(circle(52, 22, 17, bright))
    case 'penguin':
      return both(circle(30, 16, 38, front)) + ellipse(0, 56, 58, 40, front)
    case 'bib':
      return ellipse(0, 40, 62, 66, front)
    default:
      return ''
  }
}

export function frontHead(look: HeadLook, bird: Species, plumage: Plumage, sketch: Sketch): string {
  const { front } = plumage
  const around = bird.face === 'discs' || bird.face === 'penguin' || bird.face === 'bib' ? front : hooded(bird, plumage)
  const apart = bird.face === 'discs' ? 34 : bird.beak === 'toucan' ? 40 : 33
  const eye = {
    apart,
    y: 0,
    r: bird.face === 'discs' ? 20 : 13.5,
    lid: darker(around, 0.1),
    stroke: mostContrasting(around, [INK, '#fff6e3']),
    ...(bird.face === 'discs' && { iris: '#ffc94d' }),
  }
  const wattle = bird.crest === 'comb' ? both(ellipse(7, 46, 9, 14, '#e2574c')) : ''
  return [
    place({ x: 0, y: -BALL }, crest(bird.crest, plumage, sketch)),
    sketch.solid(oval(0, 0, BALL * 1.04, BALL), hooded(bird, plumage), frontFace(bird, plumage), 8),
    bird.face === 'cheeks' ? '' : blush(54, 24, 11),
    wattle,
    place({ x: 0, y: 18 }, frontBeak(bird, look.beak, beakColours(bird, plumage))),
    eyes(look.eyes, eye, sketch),
    adornments(look, eye, { top: -BALL + 4, spread: 46, scale: 0.8, coat: hooded(bird, plumage) }),
  ].join('')
}

function sideFace(bird: Species, plumage: Plumage): string {
  const { front, bright } = plumage
  switch (bird.face) {
    case 'breast':
      return ellipse(-48, 60, 66, 74, breastOf(plumage))
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

export function sideHead(look: HeadLook, bird: Species, plumage: Plumage, sketch: Sketch): string {
  const around = bird.face === 'discs' || bird.face === 'penguin' ? plumage.front : hooded(bird, plumage)
  const eye = {
    apart: 24,
    y: -6,
    r: bird.face === 'discs' ? 19 : 14,
    lid: darker(around, 0.1),
    stroke: mostContrasting(around, [INK, '#fff6e3']),
    ...(bird.face === 'discs' && { iris: '#ffc94d' }),
  }
  const wattle = bird.crest === 'comb' ? ellipse(-60, 44, 9, 15, '#e2574c') : ''
  return [
    place({ x: 0, y: -BALL }, crest(bird.crest, plumage, sketch)),
    wattle,
    place({ x: -BALL + 8, y: 6 }, sideBeak(bird, look.beak, beakColours(bird, plumage))),
    sketch.solid(oval(0, 0, BALL, BALL), hooded(bird, plumage), sideFace(bird, plumage), 8),
    circle(-8, 26, 11, '#f58a8a', 'opacity=".4"'),
    loneEye(look.eyes, -28, eye, sketch),
    adornments({ ...look, eyewear: 'none' }, eye, {
      top: -BALL + 4,
      spread: 30,
      scale: 0.8,
      coat: hooded(bird, plumage),
    }),
  ].join('')
}
