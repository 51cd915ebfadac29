import { Badge, Group, Stack, Text } from '@mantine/core'
import { PanelCard } from '../../components/page/panel-card.tsx'
import { Money } from '../../components/values/money.tsx'
import { DateTime } from '../../components/values/times.tsx'
import { type ExplainedTransaction, proofLabel } from './words.ts'

export interface SaleVersionsProps {
  versions: NonNullable<ExplainedTransaction['versions']>
  timeZone: string | undefined
}

/** The versions of a sale that were sent under one id with different contents, and which one counts. */
export function SaleVersions({ versions, timeZone }: SaleVersionsProps) {
  return (
    <PanelCard
      title="Versions"
      description="This number came with different contents. One of them counts; the others are kept."
    >
      <Stack gap="sm">
        {versions.map((version) => (
          <div key={`${version.receivedAt} ${version.clientId} ${version.proof} ${version.occurredAt}`}>
            <Group gap="xs">
              <Badge variant={version.counts ? 'filled' : 'light'} color={version.counts ? 'teal' : 'gray'}>
                {version.counts ? 'Counts' : 'Does not count'}
              </Badge>
              <Text size="sm" fw={600}>
                {proofLabel(version.proof)}
              </Text>
              <Text size="sm" c="dimmed">
                received <DateTime at={version.receivedAt} timeZone={timeZone} />
              </Text>
              <Text size="sm" ms="auto">
                <Money amount={version.lines.reduce((sum, { price }) => sum + price, 0)} currency={version.currency} />
              </Text>
            </Group>
            <Text size="sm" c="dimmed" mt={4}>
              {`${version.why}. From ${version.clientId}: ${version.lines
                .map(({ shopProductId, quantity }) => (quantity > 1 ? `${quantity} × ${shopProductId}` : shopProductId))
                .join(', ')}`}
            </Text>
          </div>
        ))}
      </Stack>
    </PanelCard>
  )
}
