import { Anchor, Skeleton, Text } from '@mantine/core'
import { t } from '../../messages/pages/reports.ts'
import { aboutOf, type ReportAnswer, wordFor } from './vocabulary.ts'

type Settings = NonNullable<ReportAnswer['disclosure']>

/** The description of the report in the API's documentation, with all metrics. */
const DEFINITIONS = '/docs'

/** How the figures are computed, from the settings that the API discloses. */
export function Disclosure({ disclosure }: { disclosure: Settings | undefined }) {
  if (!disclosure) return <Skeleton height={18} />
  const { attributionModel, timeZones } = disclosure
  const [zone] = timeZones
  return (
    <Text size="xs" c="dimmed">
      {t.rich('disclosure', {
        model: <span title={aboutOf(attributionModel)}>{wordFor(attributionModel)}</span>,
        windows: windowsOf(disclosure),
        filtration: filtrationOf(disclosure),
        zones: timeZones.length === 1 ? t('timesIn', { zone: zone! }) : t('zonesOfShops'),
        link: (text) => (
          <Anchor href={DEFINITIONS} target="_blank" inherit underline="always">
            {text}
          </Anchor>
        ),
      })}
    </Text>
  )
}

function windowsOf({ attributionWindows }: Settings): string {
  const [only] = attributionWindows
  if (attributionWindows.length !== 1) return t('windowsByShop')
  return t('disclosedWindows', { click: lengthOf(only!.clickWindowHours), view: lengthOf(only!.viewWindowHours) })
}

const lengthOf = (hours: number) =>
  hours >= 48 && hours % 24 === 0 ? t('daysLong', { count: hours / 24 }) : t('hoursLong', { count: hours })

const filtrationOf = ({ refusingRules }: Settings) =>
  refusingRules === null ? t('filtered') : t('filteredWithRules', { count: refusingRules.length })
