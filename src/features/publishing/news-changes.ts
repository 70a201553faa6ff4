import Type from 'typebox'
import * as releases from '../releases/index.ts'
import { defineChange, OptionalText, Switch, Text } from './change.ts'

const text = {
  title: Text('Title.'),
  markdown: Text('The text, as Markdown.'),
  summary: OptionalText('One sentence for lists. Default: the first paragraph.'),
  url: OptionalText('URL of the full text.'),
  image: OptionalText('URL of a picture, or a picture of this service such as /media/animals/fox/~b.png.'),
}
const item = { id: Text('Id of the news item.') }
const translation = { ...item, lang: Text('Language of the translation, such as de or pt-BR.') }
const nameTranslation = ({ id, lang }: { id: string; lang: string }) => `${id} (${lang})`

export const newsChanges = {
  /** Refuses an id that exists, and makes one up where none is given. */
  'news add': defineChange()({
    summary: 'Publish a news item, or a translation of one',
    input: Type.Object({
      ...text,
      id: OptionalText('Id. Default: date and title.'),
      lang: OptionalText('Language. With the id of a published item, the text is added as its translation.'),
      at: OptionalText('Time of publication. Default: now.'),
      isTranslation: Switch('True if the text is a translation: it is refused if there is no item with this id.'),
    }),
    subject: ({ id, title, lang }) => `${id ?? title}${lang ? ` (${lang})` : ''}`,
    run: (input, context) => releases.addNews({ ...input, ...context }),
  }),
  'news put': defineChange()({
    summary: 'Publish or replace a news item',
    description: 'A replaced item keeps its translations, and its date and language unless they are given.',
    input: Type.Object({
      ...item,
      ...text,
      lang: OptionalText('Language of the item. Default: that of the replaced item, or en.'),
      at: OptionalText('Time of publication, such as 2026-12-01T10:00Z. Default: that of the replaced item, or now.'),
    }),
    subject: ({ id }) => id,
    run: (input, context) => releases.addNews({ ...input, ...context, isTranslation: false, replace: true }),
  }),
  'news translate': defineChange()({
    summary: 'Publish or replace a translation of a news item',
    input: Type.Object({ ...translation, ...text }),
    subject: nameTranslation,
    run: (input, context) => releases.addNews({ ...input, ...context, isTranslation: true, replace: true }),
  }),
  'news remove': defineChange()({
    summary: 'Remove a news item with its translations',
    input: Type.Object(item),
    subject: ({ id }) => id,
    run: ({ id }, context) => releases.removeNews(context.dir, id, context),
  }),
  'news remove translation': defineChange()({
    summary: 'Remove a translation of a news item',
    input: Type.Object(translation),
    subject: nameTranslation,
    run: ({ id, lang }, context) => releases.removeNews(context.dir, id, { ...context, lang }),
  }),
}

export const tierChanges = {
  'tier set': defineChange()({
    summary: 'Set the resources and benefits of a tier',
    input: Type.Object({
      tier: Type.Enum(['2', '3'], { description: 'Number of the tier.' }),
      resources: Type.Optional(
        Type.Record(Type.String(), Type.Union([Type.String(), Type.Null()]), {
          maxProperties: releases.MAX_TIER_ENTRIES,
          description: 'Versions of the named resources of this tier. Null removes a resource.',
        }),
      ),
      benefits: Type.Optional(
        Type.Array(Type.String(), {
          maxItems: releases.MAX_TIER_ENTRIES,
          description: 'The complete list of benefits. Default: unchanged, or none with `replace`.',
        }),
      ),
      replace: Switch('Removes resources and benefits that are not named.'),
    }),
    subject: ({ tier }) => `tier ${tier}`,
    run: (input, context) => releases.setTier({ ...input, ...context }),
  }),
}
