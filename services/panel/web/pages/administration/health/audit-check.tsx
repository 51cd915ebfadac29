import { Alert, Button, Group, Select, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { DAY_MS, HOUR_MS } from '../../../../../../schemas/durations.ts'
import { answer, client } from '../../../client/client.ts'
import type { ApiProblem } from '../../../client/problem.ts'
import type { Answer, Query } from '../../../client/types.ts'
import { DetailList } from '../../../components/page/detail-list.tsx'
import { PanelCard } from '../../../components/page/panel-card.tsx'
import { formatCount } from '../../../components/values/numbers.ts'
import { t } from '../../../messages/pages/administration.ts'

type Checked = Omit<Answer<'/v1/panel/audit/check'>, 'partitions'>
type Span = Query<'/v1/panel/audit/check'>
type Topic = Span['topic']

const periods = { lastHour: HOUR_MS, lastDay: DAY_MS, lastWeek: 7 * DAY_MS, wholeLog: null } as const
type Period = keyof typeof periods
const PERIODS = Object.keys(periods) as Period[]
/** The most fault positions that are listed. */
const PLACES_MAX = 10
const NOTHING: Checked = {
  ...{ logged: 0, stored: 0, duplicates: 0, deadLetters: 0, expired: 0, missing: 0 },
  ...{ missingAt: [], repeatedAt: [] },
}

/** Compares the records of a topic with the rows of its table one by one, and says where rows are missing or duplicated. */
export function AuditCheck({ topics }: { topics: readonly string[] }) {
  const [topic, setTopic] = useState<string | null>(null)
  const [period, setPeriod] = useState<Period>('lastDay')
  const [checked, setChecked] = useState<Checked | null>(null)
  const stopping = useRef(new AbortController())
  useEffect(() => () => stopping.current.abort(), [])
  const check = useMutation<boolean, ApiProblem, Span>({
    async mutationFn(span) {
      stopping.current = new AbortController()
      setChecked(null)
      return checkAll(span, setChecked, stopping.current.signal)
    },
  })
  const begin = () => {
    const lengthMs = periods[period]
    const from = lengthMs === null ? {} : { from: new Date(Date.now() - lengthMs).toISOString() }
    check.mutate({ topic: topic as Topic, ...from })
  }

  return (
    <PanelCard title={t('auditCheck')} description={t('auditCheckHelp')}>
      <Stack gap="md">
        <Group align="end" gap="sm">
          <Select
            label={t('topic')}
            placeholder={t('chooseTopic')}
            data={[...topics]}
            value={topic}
            onChange={setTopic}
            disabled={check.isPending}
          />
          <Select
            label={t('auditPeriod')}
            data={PERIODS.map((value) => ({ value, label: t(value) }))}
            value={period}
            onChange={(value) => setPeriod((value as Period | null) ?? 'lastDay')}
            allowDeselect={false}
            disabled={check.isPending}
          />
          {check.isPending ? (
            <Button variant="default" onClick={() => stopping.current.abort()}>
              {t('stopCheck')}
            </Button>
          ) : (
            <Button onClick={begin} disabled={topic === null}>
              {t('check')}
            </Button>
          )}
        </Group>
        {check.error && (
          <Alert color="red" title={t('checkFailed')}>
            {check.error.message}
          </Alert>
        )}
        <div role="status">
          {checked && <Result checked={checked} isWhole={check.data === true} isRunning={check.isPending} />}
        </div>
      </Stack>
    </PanelCard>
  )
}

function Result({ checked, isWhole, isRunning }: { checked: Checked; isWhole: boolean; isRunning: boolean }) {
  const { logged, stored, deadLetters, expired, missing, duplicates, missingAt, repeatedAt } = checked
  const isFaulty = missing + duplicates > 0
  const state = isRunning ? 'checkRunning' : isWhole ? 'checkDone' : 'checkStopped'
  return (
    <Stack gap="sm">
      <Alert color={isFaulty ? 'red' : isRunning || !isWhole ? 'blue' : 'teal'} title={t(state, { count: logged })}>
        {isFaulty ? t('checkFaults', { missing, duplicates }) : t('checkNoFaults')}
      </Alert>
      <DetailList
        details={{
          [t('stored')]: formatCount(stored),
          [t('failedEvents')]: formatCount(deadLetters),
          [t('expired')]: formatCount(expired),
          [t('missing')]: formatCount(missing),
          [t('duplicates')]: formatCount(duplicates),
        }}
      />
      <Places label={t('missingAt')} places={missingAt} />
      <Places label={t('repeatedAt')} places={repeatedAt} />
    </Stack>
  )
}

function Places({ label, places }: { label: string; places: Checked['missingAt'] }) {
  if (places.length === 0) return null
  const listed = places.slice(0, PLACES_MAX).map(({ partition, offset }) => `${partition}/${offset}`)
  return (
    <Text size="sm">
      {label} {listed.join(', ')}
      {places.length > PLACES_MAX && ' …'}
    </Text>
  )
}

/** Requests one part after the other. @returns whether all parts were checked; false when the check was stopped before. */
async function checkAll(span: Span, onChecked: (checked: Checked) => void, stopping: AbortSignal): Promise<boolean> {
  let checked = NOTHING
  const parts: Pick<Span, 'partition' | 'fromOffset'>[] = [{}]
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    const query = { ...span, ...part }
    const { partitions, ...found } = await answer(client.GET('/v1/panel/audit/check', { params: { query } }))
    checked = added(checked, found)
    onChecked(checked)
    for (const { partition, next } of partitions) if (next !== null) parts.push({ partition, fromOffset: next })
    if (stopping.aborted) return parts.length === 0
  }
  return true
}

const added = (one: Checked, other: Checked): Checked => ({
  logged: one.logged + other.logged,
  stored: one.stored + other.stored,
  duplicates: one.duplicates + other.duplicates,
  deadLetters: one.deadLetters + other.deadLetters,
  expired: one.expired + other.expired,
  missing: one.missing + other.missing,
  missingAt: [...one.missingAt, ...other.missingAt],
  repeatedAt: [...one.repeatedAt, ...other.repeatedAt],
})
