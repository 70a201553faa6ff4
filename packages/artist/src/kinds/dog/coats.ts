import { type Colour, WHITE_FUR } from '../../colour.ts'

const CREAM_FUR = '#fff3df'
const BLACK = '#4a4352'
const TAN = '#dc9a5c'

/** Name in descriptions, and the colours of coat, markings, and pale parts of face and chest. */
export type DogCoat = readonly [name: string, base: Colour, marks: Colour, pale: Colour]

export const dogCoatWeights = { first: 1.4, second: 1, third: 1, fourth: 1 } as const
export type DogCoatChoice = keyof typeof dogCoatWeights

const fourCoats = (first: DogCoat, second: DogCoat, third: DogCoat, fourth: DogCoat) => ({
  first,
  second,
  third,
  fourth,
})

export const dogCoats = {
  corgi: fourCoats(
    ['red', '#eda050', '#c97a38', WHITE_FUR],
    ['sable', '#c98a58', '#8a5a40', WHITE_FUR],
    ['black', BLACK, TAN, WHITE_FUR],
    ['fawn', '#f0c58c', '#d39a5c', WHITE_FUR],
  ),
  husky: fourCoats(
    ['grey', '#eef0f4', '#7d879c', WHITE_FUR],
    ['black', '#eef0f4', '#4a4a5c', WHITE_FUR],
    ['copper', '#fbf0e2', '#c0764a', WHITE_FUR],
    ['silver', '#f4f2f6', '#a9a4b8', WHITE_FUR],
  ),
  shiba: fourCoats(
    ['red', '#e8954f', '#c8703a', CREAM_FUR],
    ['black', '#554a52', '#3a323c', '#f3d3a8'],
    ['cream', '#f6dcb4', '#e0b682', WHITE_FUR],
    ['sesame', '#b87a55', '#7f5440', CREAM_FUR],
  ),
  beagle: fourCoats(
    ['tricolour', '#d99a62', '#8a5638', WHITE_FUR],
    ['lemon', '#f3d69c', '#e0ae64', WHITE_FUR],
    ['red', '#d9814a', '#a8562f', WHITE_FUR],
    ['blue', '#a9aebb', '#6d7488', WHITE_FUR],
  ),
  dalmatian: fourCoats(
    ['black-spotted', WHITE_FUR, '#4a4352', WHITE_FUR],
    ['brown-spotted', WHITE_FUR, '#8a5a44', WHITE_FUR],
    ['lemon-spotted', WHITE_FUR, '#e5b264', WHITE_FUR],
    ['blue-spotted', WHITE_FUR, '#75809c', WHITE_FUR],
  ),
  pug: fourCoats(
    ['fawn', '#ecc795', '#5a4a4c', '#f6dcb4'],
    ['apricot', '#f0ae74', '#5f4544', '#f9cf9f'],
    ['silver', '#cfc8c4', '#57505a', '#e4dfdb'],
    ['black', '#5a5361', '#39333f', '#7a7282'],
  ),
  poodle: fourCoats(
    ['apricot', '#f0b583', '#d9925c', '#f9d3ae'],
    ['white', '#fdf6ee', '#e6d8d0', WHITE_FUR],
    ['black', '#4f4858', '#37313f', '#6d6578'],
    ['silver', '#b9bac8', '#8f91a6', '#d5d6e0'],
  ),
  retriever: fourCoats(
    ['golden', '#eeb765', '#d3924a', '#fae0ac'],
    ['cream', '#f9e6c6', '#e6c495', WHITE_FUR],
    ['chocolate', '#8a6150', '#684436', '#b08a70'],
    ['black', '#514a5c', '#3a3446', '#736b80'],
  ),
  dachshund: fourCoats(
    ['brown', '#a8683f', '#7d4a30', '#dba06a'],
    ['black and tan', '#4f4450', '#3a313c', '#dc9a5c'],
    ['cream', '#f0d3a2', '#d3a668', WHITE_FUR],
    ['red', '#c9713f', '#9a4f2c', '#eeb27c'],
  ),
  schnauzer: fourCoats(
    ['grey', '#8b8f9c', '#6a6e7e', '#eceaea'],
    ['black', '#4f4a58', '#38343f', '#b9b4c0'],
    ['cream', '#e8d5bb', '#cdb394', WHITE_FUR],
    ['brown', '#94705a', '#6f5142', '#ecd6bd'],
  ),
  bulldog: fourCoats(
    ['fawn', '#e0b588', '#c08e60', '#fdf1e0'],
    ['blue', '#8f9ab0', '#6c7890', '#f0eef4'],
    ['pied', '#fbf4ea', '#5a5160', WHITE_FUR],
    ['brindle', '#8a6a58', '#5f463c', '#f3e6d6'],
  ),
} as const
