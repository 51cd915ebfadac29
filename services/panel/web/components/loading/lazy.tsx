import { Button, EmptyState, Skeleton, Stack } from '@mantine/core'
import { useIntersection } from '@mantine/hooks'
import { IconCloudOff, IconRefresh } from '@tabler/icons-react'
import { type ComponentType, useEffect, useState } from 'react'
import { t } from '../../messages/shell.ts'
import { type Chunk, type Load, useChunk } from './use-chunk.ts'

/**
 * The component of a page, once its code has been loaded. It never rejects, because the router would keep the failure. A page whose
 * code cannot be loaded says so, and keeps trying.
 */
export async function lazyPage(load: Load<object>): Promise<ComponentType> {
  try {
    return (await load()).default
  } catch {
    return () => <LoadedPage load={load} />
  }
}

/** A page outside the router, or one whose code could not be loaded at first. */
export function LoadedPage({ load }: { load: Load<object> }) {
  const { Component, ...rest } = useChunk(load, true)
  if (Component) return <Component />
  return rest.failure ? <ChunkFailure {...rest} /> : <PageSkeleton />
}

/** A part is loaded when it comes this close to the visible area, so that it is there when it is seen. */
const MARGIN = '200px'

export interface LazyPartProps<Props> {
  /** Loads the code. Must be a constant of the module. */
  load: Load<Props>
  props: Props
  /** The height that is reserved until the part is loaded, in pixels. */
  height: number
}

/** A part of a page, such as a chart, whose code is loaded when it is seen. */
export function LazyPart<Props extends object>({ load, props, height }: LazyPartProps<Props>) {
  const { ref, entry } = useIntersection({ rootMargin: MARGIN })
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    if (entry?.isIntersecting) setSeen(true)
  }, [entry])
  const { Component, ...rest } = useChunk(load, isSeen)
  if (Component) return <Component {...props} />
  if (rest.failure) return <ChunkFailure {...rest} />
  return <Skeleton ref={ref} height={height} role="status" aria-busy="true" aria-label={t('loading')} />
}

/** Shown while the code of a page is loading. */
export function PageSkeleton() {
  return (
    <Stack gap="md" role="status" aria-busy="true" aria-label={t('loading')}>
      <Skeleton height={30} width={220} />
      <Skeleton height={320} />
    </Stack>
  )
}

/** Shown instead of a part whose code could not be loaded. */
function ChunkFailure({ failure, retry }: Omit<Chunk<never>, 'Component'>) {
  const [isTrying, setTrying] = useState(false)
  const isOutdated = failure === 'OUTDATED'
  const again = () => {
    setTrying(true)
    void retry().finally(() => setTrying(false))
  }
  return (
    <EmptyState
      py="xl"
      role="alert"
      icon={isOutdated ? <IconRefresh /> : <IconCloudOff />}
      title={isOutdated ? t('codeOutdated') : t('codeAway')}
      description={isOutdated ? t('codeOutdatedHelp') : t('codeAwayHelp')}
    >
      <EmptyState.Actions>
        <Button variant="default" loading={isTrying} onClick={again}>
          {isOutdated ? t('loadAgain') : t('tryAgain')}
        </Button>
      </EmptyState.Actions>
    </EmptyState>
  )
}
