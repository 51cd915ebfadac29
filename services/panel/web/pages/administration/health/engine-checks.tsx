import { Group, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { noAnswer } from '../../../client/problem.ts'
import { ErrorState } from '../../../components/page/error-state.tsx'
import { PanelCard } from '../../../components/page/panel-card.tsx'
import { StatusBadge } from '../../../components/values/status-badge.tsx'
import { t } from '../../../messages/pages/administration.ts'

const REFRESH_MS = 5_000

interface Readiness {
  checks: Record<string, 'ok' | 'failed'>
}

/** What each check of /health/ready tests. */
const names: Readonly<Record<string, string>> = {
  registry: t('registry'),
  log: t('eventLog'),
  analytics: t('analytics'),
  index: t('productIndex'),
  counters: t('counters'),
  traffic: t('traffic'),
  streams: t('streams'),
}

/** Reads which parts of the program work. Here, 503 is an answer like 200. */
async function readReadiness({ signal }: { signal: AbortSignal }): Promise<Readiness> {
  const response = await fetch('/health/ready', { signal }).catch((error) => {
    throw noAnswer(error)
  })
  return response.json()
}

export function EngineChecks() {
  const { data, error, refetch } = useQuery({
    queryKey: ['/health/ready'],
    queryFn: readReadiness,
    refetchInterval: REFRESH_MS,
  })
  return (
    <PanelCard title={t('engines')} description={t('enginesHelp')}>
      {error && !data && <ErrorState problem={error} retry={() => void refetch()} />}
      {!error && !data && <Skeleton height={22} width={320} />}
      {data && (
        <Group gap="xs" aria-live="polite">
          {Object.entries(data.checks).map(([name, result]) => (
            <StatusBadge
              key={name}
              status={result === 'ok' ? 'OK' : 'FAILED'}
              label={t(result === 'ok' ? 'engineWorks' : 'engineFails', { engine: names[name] ?? name })}
            />
          ))}
        </Group>
      )}
    </PanelCard>
  )
}
