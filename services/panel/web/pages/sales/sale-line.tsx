import { Alert, Anchor, Button, Text } from '@mantine/core'
import { IconCircleCheck, IconCircleDashed } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { PanelCard } from '../../components/page/panel-card.tsx'
import { Money } from '../../components/values/money.tsx'
import { formatCount } from '../../components/values/numbers.ts'
import { ProductTitle } from '../../components/values/product-title.tsx'
import { t } from '../../messages/pages/sales.ts'
import { campaignPath, distance, type ExplainedLine, type ExplainedTransaction, outcomeLabel } from './sale-words.ts'
import { TouchTimeline } from './touch-timeline.tsx'

/** The most touches shown at first: a person may have hundreds. The rest are shown on request. */
const TOUCHES_SHOWN = 12

export interface SaleLineProps {
  line: ExplainedLine
  sale: ExplainedTransaction
  timeZone: string | undefined
}

/** One line of a sale: which campaign was credited with it, and every view and click of the person. */
export function SaleLine({ line, sale, timeZone }: SaleLineProps) {
  const [isAll, setAll] = useState(false)
  const { touches, shopProductId, quantity, price } = line
  const shown = isAll ? touches : touches.slice(0, TOUCHES_SHOWN)
  return (
    <PanelCard
      title={t('lineOf', { number: line.line + 1, product: shopProductId })}
      description={<ProductTitle shopId={sale.shopId} id={shopProductId} />}
      actions={
        <Text size="sm" fw={600}>
          {quantity > 1 && `${t('units', { count: quantity })} · `}
          <Money amount={price} currency={sale.currency} />
          {line.returnedQuantity > 0 && ` · ${t('unitsReturned', { count: line.returnedQuantity })}`}
        </Text>
      }
    >
      <Outcome line={line} sale={sale} />
      {sale.settledUntil !== null && (
        <Text size="sm" mt="md">
          {t('touchesEnded')}
        </Text>
      )}
      {touches.length > 0 && (
        <>
          <Text size="sm" fw={600} mt="md" mb="sm">
            {touches.length === 1 ? t('onlyTouch') : t('allTouches', { count: formatCount(touches.length) })}
          </Text>
          <TouchTimeline touches={shown} sale={sale} timeZone={timeZone} />
          {shown.length < touches.length && (
            <Button variant="default" size="xs" mt="sm" onClick={() => setAll(true)}>
              {t('showTouches', { count: formatCount(touches.length - shown.length) })}
            </Button>
          )}
        </>
      )}
    </PanelCard>
  )
}

function Outcome({ line, sale }: Pick<SaleLineProps, 'line' | 'sale'>) {
  const { credit, why } = line
  if (!credit) {
    return (
      <Alert variant="light" color="gray" icon={<IconCircleDashed size={18} aria-hidden />} title={outcomeLabel(line)}>
        {why}
      </Alert>
    )
  }
  const { campaignId, campaignName, touchType, touchAt, match } = credit
  return (
    <Alert variant="light" color="teal" icon={<IconCircleCheck size={18} aria-hidden />} title={t('CREDITED')}>
      {t.rich('creditedFor', {
        campaign: (name) => (
          <Anchor component={Link} to={campaignPath(campaignId)} size="sm" underline="always" c="inherit">
            {name}
          </Anchor>
        ),
        name: campaignName ?? campaignId,
        type: touchType,
        distance: distance(touchAt, sale.occurredAt),
        match,
      })}
    </Alert>
  )
}
