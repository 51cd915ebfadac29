import { Alert, EmptyState, Group, Stack, Text } from '@mantine/core'
import { IconAdOff, IconInfoCircle } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import type { AdFormat, AdUnit, ExplainedEmission } from '../../../client/types.ts'
import { CopyField } from '../../../components/values/copy-field.tsx'
import { useEntity } from '../../../data/use-entity.ts'
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

/** The ads of one request, and the explanation as soon as it is stored. */
export function SelectionView({ selection, adCount, unit, formats }: SelectionViewProps) {
  const { requestId, sponsored, display } = selection
  const { data, isLate } = useExplanation(requestId)
  const slot = data?.slots[0]
  const count = sponsored.length + display.length
  const kind = isDisplay(unit.algorithm) ? 'banner' : 'ad'
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="xs">
        <Text fw={600}>{count === 1 ? `1 ${kind}` : `${count} ${kind}s`}</Text>
        <CopyField value={requestId} label="Request id" />
      </Group>
      {count === 0 && (
        <EmptyState
          py="lg"
          size="sm"
          icon={<IconAdOff />}
          title="No ads for this request"
          description={data ? undefined : 'Why is about to follow.'}
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
        <Alert color="yellow" icon={<IconInfoCircle />} title="The explanation is late">
          The engine that keeps what was shown is behind. The ads are real all the same; look the request up later by
          its id.
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
  const title = isFull ? 'All places are filled' : (why ?? `${ads.length} of ${adCount} places are filled`)
  const found = candidates === 1 ? '1 ad was eligible' : `${candidates} ads were eligible`
  return (
    <Alert variant="light" color={isFull ? 'gray' : 'yellow'} icon={<IconInfoCircle />} title={title}>
      {`${found} of what was looked at; chosen in ${explained.elapsedMs.toFixed(1)} ms.`}
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
