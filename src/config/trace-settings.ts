// The settings of OpenTelemetry, under the names that its specification gives them; where none of the first two is set,
// nothing is traced.
import { choice, integer, type Setting, text, webUrl } from './setting.ts'

/** The specification takes an empty variable for one that is not set. */
const emptyIsUnset = <T>(setting: Setting<T>): Setting<T> => ({
  ...setting,
  parse: (given) => setting.parse(given === '' ? setting.default : given),
})

const endpoint = (help: string) => webUrl({ default: '', secret: true, help })

/** `key=value,key=value`, percent-encoded. */
const pairs = (wording: { help: string; secret?: boolean }): Setting<Record<string, string>> => ({
  ...wording,
  default: '',
  rule: 'key=value pairs with commas between them, percent-encoded, or empty',
  parse: (given) => {
    const entries = given
      .split(',')
      .filter((entry) => entry.trim() !== '')
      .map((entry) => /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(entry))
    try {
      return entries.includes(null)
        ? undefined
        : Object.fromEntries(entries.map((entry) => [entry![1]!, decodeURIComponent(entry![2]!)]))
    } catch {
      return undefined
    }
  },
})

const milliseconds = (value: string, help: string) =>
  emptyIsUnset(integer({ default: value, min: 1, max: 600_000, help }))

const spans = (value: string, help: string) => emptyIsUnset(integer({ default: value, min: 1, max: 1_000_000, help }))

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

export const traceSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint(
    'Collector for traces (OTLP over HTTP); /v1/traces is added. Empty traces nothing.',
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint('The same, taken as it is; it goes before the other.'),
  OTEL_EXPORTER_OTLP_HEADERS: pairs({ secret: true, help: 'Headers for the collector, such as its key.' }),
  OTEL_SDK_DISABLED: emptyIsUnset(
    choice({ default: 'false', of: ['true', 'false'], help: 'Traces nothing, whatever else is set.' }),
  ),
  OTEL_SERVICE_NAME: emptyIsUnset(
    text({
      default: 'menagerie',
      pattern: /^[^\0]{1,200}$/,
      rule: 'a name',
      help: 'What the service is called in traces.',
    }),
  ),
  OTEL_RESOURCE_ATTRIBUTES: pairs({ help: 'What else traces tell of the service.' }),
  OTEL_TRACES_SAMPLER: emptyIsUnset(
    choice({ default: 'parentbased_always_on', of: samplers, help: 'Which requests are traced.' }),
  ),
  OTEL_TRACES_SAMPLER_ARG: emptyIsUnset(
    text({
      default: '1',
      pattern: /^(?:0(?:\.\d+)?|1(?:\.0+)?|\.\d+)$/,
      rule: 'a number from 0 to 1',
      help: 'Their share, for the samplers that go by a ratio.',
    }),
  ),
  OTEL_BSP_SCHEDULE_DELAY: milliseconds('5000', 'Milliseconds between two deliveries of traces.'),
  OTEL_BSP_EXPORT_TIMEOUT: milliseconds('30000', 'Milliseconds that a delivery may take.'),
  OTEL_BSP_MAX_QUEUE_SIZE: spans('2048', 'Spans that wait for delivery; further ones are dropped.'),
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: spans('512', 'Spans of one delivery.'),
}
