import type { Species } from './species.ts'

export const groundBirds = {
  hen: {
    group: 'chicken',
    build: 'hen',
    beak: 'cone',
    crest: 'comb',
    face: 'plain',
    belly: 'speckled',
    tail: 'fan',
    size: [1.14, 0.95, 0.92],
    legs: 0.9,
    baby: 'chick',
    voice: 'clucking',
    poses: ['standing', 'strolling', 'nesting', 'family', 'landing', 'hopping'],
    plumages: {
      brown: ['#b74', '#953', '#eb8', '#b74', '#fb5', '#e94'],
      white: ['#fffaf2', '#dde', '#fff', '#fffaf2', '#fb4', '#e94'],
      black: ['#445', '#334', '#667', '#445', '#fc5', '#ea5'],
      golden: ['#eb5', '#c83', '#fda', '#eb5', '#e84', '#d84'],
    },
  },
  chick: {
    group: 'chicken',
    build: 'ball',
    beak: 'cone',
    crest: 'tuft',
    face: 'plain',
    belly: 'plain',
    tail: 'none',
    size: [1.04, 0.86, 1.16],
    legs: 0.9,
    voice: 'cheeping',
    poses: ['standing', 'strolling', 'hopping'],
    plumages: {
      yellow: ['#fd5', '#eb3', '#fea', '#fd5', '#e84', '#e84'],
      white: ['#fffaf2', '#ede', '#fff', '#fffaf2', '#f94', '#e94'],
      brown: ['#b86', '#964', '#eca', '#b86', '#fb5', '#ea5'],
      grey: ['#aab', '#889', '#ede', '#aab', '#fa5', '#e95'],
    },
  },
} as const satisfies Record<string, Species>
