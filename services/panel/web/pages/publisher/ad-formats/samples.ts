import type { AdFormat } from '../../../client/types.ts'
import { t } from '../../../messages/pages/shop/ad-formats.ts'

const SAMPLES: Readonly<Record<string, string>> = {
  TITLE: t('sampleTITLE'),
  SUBTITLE: t('sampleSUBTITLE'),
  DESCRIPTION: t('sampleDESCRIPTION'),
  CTA: t('sampleCTA'),
  BG_COLOR: '#1f3a5f',
}
const COLOR = '#d9480f'
const TEXT = t('sampleOther')

/** A sample value for each text field of a format, of at most the allowed length. */
export function sampleTexts(fields: AdFormat['textFields']): Record<string, string> {
  return Object.fromEntries(
    fields.map(({ type, maxLength }) => {
      if (type.endsWith('_COLOR')) return [type, SAMPLES[type] ?? COLOR]
      return [type, (SAMPLES[type] ?? TEXT).slice(0, maxLength)]
    }),
  )
}
