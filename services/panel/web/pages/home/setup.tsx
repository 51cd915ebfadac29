import { Anchor, Button, Group, Progress, Stack, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { IconCircle, IconCircleCheckFilled, IconCircleDashed } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import { Link } from 'react-router'
import type { Answer, Role } from '../../client/types.ts'
import { PanelCard } from '../../components/page/panel-card.tsx'
import { useEntity } from '../../data/use-entity.ts'
import { t } from '../../messages/pages/home.ts'
import { useSession } from '../../session/session.ts'

type Setup = Answer<'/v1/panel/setup'>
type Step = Setup['steps'][number]

/** How often to check the steps while the page is visible and a step is open. */
const REFRESH_MS = 4_000

/** The steps up to the first attributed sale. The card disappears when all are done, or when the user hides it. */
export function SetupCard({ role }: { role: Role }) {
  const { user } = useSession()
  const [isHidden, setHidden] = useLocalStorage({
    key: `endcap-setup-hidden-${user.id}`,
    defaultValue: false,
    getInitialValueInEffect: false,
  })
  const wasOpen = useRef(false)
  const { data } = useEntity('/v1/panel/setup', {
    enabled: !isHidden,
    refreshMs: (setup) => (setup?.complete ? false : REFRESH_MS),
  })
  const isComplete = data?.complete
  useEffect(() => {
    if (isComplete && wasOpen.current) notifications.show({ message: t('setupDone'), color: 'teal' })
    wasOpen.current = isComplete === false
  }, [isComplete])
  if (isHidden) {
    return (
      <Anchor component="button" type="button" size="sm" c="dimmed" onClick={() => setHidden(false)}>
        {t('showSetup')}
      </Anchor>
    )
  }
  if (!data || data.complete) return null
  const done = data.steps.filter((step) => step.done).length
  return (
    <PanelCard
      title={t('setup')}
      description={t('setupHelp', { done, all: data.steps.length })}
      actions={
        <Button variant="default" size="xs" onClick={() => setHidden(true)}>
          {t('hideSetup')}
        </Button>
      }
    >
      <Progress value={(100 * done) / data.steps.length} size="sm" mb="md" color="teal" aria-hidden />
      <Stack gap="sm" component="ol" m={0} p={0} style={{ listStyle: 'none' }}>
        {data.steps.map((step) => (
          <li key={step.step}>
            <StepLine step={step} role={role} />
          </li>
        ))}
      </Stack>
    </PanelCard>
  )
}

function StepLine({ step: { step, done }, role }: { step: Step; role: Role }) {
  const path = done ? null : pathOf(step, role)
  return (
    <Group gap="sm" wrap="nowrap" align="start">
      <State done={done} />
      <div style={{ minWidth: 0 }}>
        <Text size="sm" fw={500} c={done ? 'dimmed' : undefined}>
          {path === null ? (
            t(step)
          ) : (
            <UnstyledButton component={Link} to={path} fz="inherit" fw="inherit" c="var(--mantine-color-anchor)">
              {t(step)}
            </UnstyledButton>
          )}
        </Text>
        {!done && (
          <Text size="sm" c="dimmed">
            {done === null ? t('stepUnknown') : helpOf(step, role)}
          </Text>
        )}
      </div>
    </Group>
  )
}

function State({ done }: { done: boolean | null }) {
  const [Sign, label] = done
    ? ([IconCircleCheckFilled, t('stepDone')] as const)
    : done === null
      ? ([IconCircleDashed, t('stepUnknown')] as const)
      : ([IconCircle, t('stepOpen')] as const)
  return (
    <>
      <Sign
        size={20}
        aria-hidden
        style={{ flex: 'none' }}
        color={done ? 'var(--mantine-color-teal-6)' : 'var(--mantine-color-dimmed)'}
      />
      <VisuallyHidden>{label}</VisuallyHidden>
    </>
  )
}

function helpOf(step: Step['step'], role: Role): string {
  const isAdvertiser = role === 'ADVERTISER'
  switch (step) {
    case 'CAMPAIGN':
      return t(`CAMPAIGNHelp${role}`)
    case 'FIRST_IMPRESSION':
    case 'FIRST_SALE':
      return isAdvertiser ? t(`${step}HelpADVERTISER`) : t(`${step}Help`)
    default:
      return t(`${step}Help`)
  }
}

/** The page on which the step is done; null when the role cannot do it, or it happens by itself. */
function pathOf(step: Step['step'], role: Role): string | null {
  switch (step) {
    case 'PUBLISHER_ACCOUNT':
      return '/accounts/new'
    case 'SHOP':
      return '/shops/new'
    case 'FEED':
      return '/feeds'
    case 'AD_UNIT':
      return '/placements'
    case 'CAMPAIGN':
      return '/campaigns/new'
    case 'MODERATION':
      return '/campaigns'
    case 'FIRST_IMPRESSION':
    case 'FIRST_SALE':
      return role === 'ADVERTISER' ? null : '/placements'
  }
}
