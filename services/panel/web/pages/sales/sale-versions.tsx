import { Badge, Group, Stack, Text } from '@mantine/core'
import { PanelCard } from '../../components/page/panel-card.tsx'
import { Money } from '../../components/values/money.tsx'
import { DateTime } from '../../components/values/times.tsx'
import { t } from '../../messages/pages/sales.ts'
import { type ExplainedTransaction, proofLabel } from './sale-words.ts'

export interface SaleVersionsProps {
  versions: NonNullable<ExplainedTransaction['versions']>
  timeZone: string | undefined
}

/** The versions of a sale, sent under one id with different contents, and which of them counts. */
export function SaleVersions({ versions, timeZone }: SaleVersionsProps) {
  return (
    <PanelCard title={t('versions')} description={t('versionsHelp')}>
      <Stack gap="sm">
        {versions.map((version) => (
          <div key={`${version.receivedAt} ${version.clientId} ${version.proof} ${version.occurredAt}`}>
            <Group gap="xs">
              <Badge variant={version.counts ? 'filled' : 'light'} color={version.counts ? 'teal' : 'gray'}>
                {version.counts ? t('counts') : t('countsNot')}
              </Badge>
              <Text size="sm" fw={600}>
                {proofLabel(version.proof)}
              </Text>
              <Text size="sm" c="dimmed">
                {t.rich('received', { time: () => <DateTime at={version.receivedAt} timeZone={timeZone} /> })}
              </Text>
              <Text size="sm" ms="auto">
                <Money amount={version.lines.reduce((sum, { price }) => sum + price, 0)} currency={version.currency} />
              </Text>
            </Group>
            <Text size="sm" c="dimmed" mt={4}>
              {t('fromWhom', {
                why: version.why,
                browser: version.clientId,
                lines: version.lines
                  .map(({ shopProductId, quantity }) =>
                    quantity > 1 ? `${quantity} × ${shopProductId}` : shopProductId,
                  )
                  .join(', '),
              })}
            </Text>
          </div>
        ))}
      </Stack>
    </PanelCard>
  )
}
