import type { Colour } from '../../colour.ts'

/** Body, markings, fins, belly. */
export const fishColours = {
  orange: ['#f78b3f', '#fff3e0', '#ffb25c', '#ffc98f'],
  red: ['#e4564f', '#ffe3c9', '#f58a5c', '#ff9a86'],
  yellow: ['#ffcf45', '#3f4a6b', '#ffae3b', '#ffe9a0'],
  blue: ['#4f8fe0', '#ffd75e', '#3568bd', '#a8d0f8'],
  teal: ['#3fb0a8', '#ffe0a3', '#2b8488', '#a5e3d5'],
  green: ['#7cbf5c', '#f9f0a8', '#4f9a55', '#cdeaa0'],
  purple: ['#8f6bd0', '#ffc9e0', '#6a49ab', '#c8b0f0'],
  pink: ['#f58aae', '#fff0e6', '#e0608f', '#ffc4d4'],
  white: ['#fbf6ee', '#f2693f', '#e6dfe6', '#ffffff'],
  silver: ['#b3c0d0', '#5f7390', '#8496ad', '#e4ebf2'],
  black: ['#474560', '#ffb347', '#33314a', '#77749a'],
  coral: ['#ff8b7a', '#5b4a8a', '#f26a63', '#ffc3b0'],
} as const satisfies Record<string, readonly [Colour, Colour, Colour, Colour]>

export interface FishColours {
  body: Colour
  marks: Colour
  fins: Colour
  belly: Colour
}
