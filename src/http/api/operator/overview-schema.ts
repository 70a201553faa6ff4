import Type from 'typebox'
import { Moment, SuccessReply } from '../../kernel/schemas.ts'
import { OrNull, Problem } from './schemas.ts'

const Facts = (description: string) => Type.Object({}, { additionalProperties: true, description })
const Whole = Type.Integer({ minimum: 0 })
const Wholes = Type.Record(Type.String(), Whole)

const counter = {
  counted: Whole,
  waiting: Whole,
  lost: Whole,
  trouble: Type.Optional(
    Type.String({ description: 'Why the store did not take what waits, in one of the processes.' }),
  ),
  diskTrouble: Type.Optional(Type.String({ description: 'Why the disk did not take it either.' })),
}

const pipeline = {
  running: Whole,
  waiting: Whole,
  overdue: Whole,
  stuck: Type.Boolean({ description: 'In one of the processes all jobs take far longer than they may.' }),
  caches: Type.Record(Type.String(), Type.Object({ entries: Whole, bytes: Whole })),
  replies: Wholes,
  sourceReads: Wholes,
}

/** With several processes on a node, each field is of all of them, or says that it is not. */
const Overview = Type.Object({
  version: Facts('What runs.'),
  time: Type.String(),
  full: Type.String(),
  uptime: Type.Number({ minimum: 0, description: 'Seconds since the service was started.' }),
  startedAt: Moment,
  traffic: Facts('What all processes of the node answered since the start.'),
  downloads: OrNull(Facts('Of all nodes, as in stats/downloads; null while the store is away.')),
  counter: Type.Object(counter, {
    description:
      'Downloads in all processes of the node: counted since the start, not in the store yet, lost for want of room.',
  }),
  pipeline: Type.Object(pipeline, {
    description: 'Image filters in all processes of the node; replies and sourceReads are counted since the start.',
  }),
  sharedPictures: OrNull(Facts('How the process that answers fares with the results that nodes share.')),
  limits: Facts('How the process that answers fares with the limits that nodes share.'),
  store: OrNull(Facts('As the process that answers sees it.')),
  blocklist: OrNull(Facts('The list that is in force.')),
  access: Type.Enum(['open', 'registered']),
  content: Facts('Kinds by category.'),
  problems: Type.Array(Problem, { description: 'As the process that answers sees them.' }),
})

export const OverviewReply = SuccessReply({ overview: Overview })
