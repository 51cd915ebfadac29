import { Alert, Anchor, EmptyState, Group, Stack, Text } from '@mantine/core'
import { IconAdOff, IconInfoCircle } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { Link } from 'react-router'
import type { AdFormat, AdUnit, ExplainedEmission } from '../../../client/types.ts'
import { CopyField } from '../../../components/values/copy-field.tsx'
import { useEntity } from '../../../data/use-entity.ts'
import { t } from '../../../messages/pages/shop/try-it.ts'
import { isDisplay } from '../ad-units/algorithms.ts'
import { AdCard, BannerCard } from './ad-card.tsx'
import type { Selection } from './ad-request.ts'
import { DroppedAds } from './dropped-ads.tsx'
import classes from './try-it.module.css'

export interface SelectionViewProps {
  selection: Selection
  /** The number of ads requested. */
  adCount: number
  unit: AdUnit
  formats: readonly AdFormat[]
}

/** The ads of one request, with the explanation once it is stored. */
export function SelectionView({ selection, adCount, unit, formats }: SelectionViewProps) {
  const { requestId, sponsored, display } = selection
  const { data, isLate } = useExplanation(requestId)
  const slot = data?.slots[0]
  const count = sponsored.length + display.length
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="xs">
        <Text fw={600}>{isDisplay(unit.algorithm) ? t('bannersFound', { count }) : t('adsFound', { count })}</Text>
        <CopyField value={requestId} label={t('requestId')} />
      </Group>
      {count === 0 && (
        <EmptyState
          py="lg"
          size="sm"
          icon={<IconAdOff />}
          title={t('noAds')}
          description={data || isLate ? undefined : t('reasonFollows')}
        />
      )}
      <ol className={`${classes.ads} ${display.length > 0 ? classes.banners : ''}`}>
        {sponsored.map((ad, i) => (
          <li key={ad.showId}>
            <AdCard ad={ad} position={i + 1} why={slot?.ads[i]} isLate={isLate} />
          </li>
        ))}
        {display.map((ad, i) => (
          <li key={ad.showId}>
            <BannerCard ad={ad} position={i + 1} why={slot?.ads[i]} isLate={isLate} formats={formats} />
          </li>
        ))}
      </ol>
      {isLate && (
        <Alert color="yellow" icon={<IconInfoCircle />} title={t('late')}>
          {t.rich('lateHelp', {
            request: (text) => (
              <Anchor component={Link} to={`/ad-requests/${requestId}`} c="inherit" inherit underline="always">
                {text}
              </Anchor>
            ),
          })}
        </Alert>
      )}
      {data && slot && <Summary explained={data} slot={slot} adCount={adCount} />}
      {slot && slot.dropped.length > 0 && (
        <DroppedAds dropped={slot.dropped} shopId={unit.shopId} isDisplay={isDisplay(unit.algorithm)} />
      )}
    </Stack>
  )
}

interface SummaryProps {
  explained: ExplainedEmission
  slot: ExplainedEmission['slots'][number]
  adCount: number
}

function Summary({ explained, slot: { candidates, why, ads }, adCount }: SummaryProps) {
  const isFull = ads.length === adCount
  const title = isFull ? t('allFilled') : (why ?? t('partlyFilled', { shown: ads.length, wanted: adCount }))
  return (
    <Alert variant="light" color={isFull ? 'gray' : 'yellow'} icon={<IconInfoCircle />} title={title}>
      {t('eligible', { count: candidates, ms: explained.elapsedMs.toFixed(1) })}
    </Alert>
  )
}

/** The explanation is stored within about two seconds. Until then the API answers 404. */
const FIRST_MS = 1_000
const POLL_MS = 700
const LATE_MS = 20_000

/** Polls the explanation of a request until it is stored. `isLate`: it did not come in time, and polling has stopped. */
function useExplanation(requestId: string): { data: ExplainedEmission | undefined; isLate: boolean } {
  const [isDue, setDue] = useState(false)
  const [isOver, setOver] = useState(false)
  const [isThere, setThere] = useState(false)
  const { data } = useEntity('/v1/panel/explain/emission/{requestId}', {
    path: { requestId },
    enabled: isDue,
    refreshMs: isThere || isOver ? false : POLL_MS,
  })
  useEffect(() => {
    const timers = [setTimeout(() => setDue(true), FIRST_MS), setTimeout(() => setOver(true), LATE_MS)]
    return () => {
      for (const timer of timers) clearTimeout(timer)
    }
  }, [])
  useEffect(() => setThere(data !== undefined), [data])
  return { data, isLate: isOver && data === undefined }
}
