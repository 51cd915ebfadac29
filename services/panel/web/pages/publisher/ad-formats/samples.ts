import type { AdFormat } from '../../../client/types.ts'

const SAMPLES: Readonly<Record<string, string>> = {
  TITLE: 'Light for long evenings',
  SUBTITLE: 'Lamps from 19 euros',
  DESCRIPTION: 'Warm light for every room, delivered in two days',
  CTA: 'See the lamps',
  BG_COLOR: '#1f3a5f',
}
const COLOR = '#d9480f'
const TEXT = 'Some words that the advertiser writes here'

/** A sample value for each text field of a format, of at most the allowed length. */
export function sampleTexts(fields: AdFormat['textFields']): Record<string, string> {
  return Object.fromEntries(
    fields.map(({ type, maxLength }) => {
      if (type.endsWith('_COLOR')) return [type, SAMPLES[type] ?? COLOR]
      return [type, (SAMPLES[type] ?? TEXT).slice(0, maxLength)]
    }),
  )
}
