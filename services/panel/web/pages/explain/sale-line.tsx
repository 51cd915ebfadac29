import { Alert, Anchor, Button, Group, Text } from '@mantine/core'
import { IconCircleCheck, IconCircleDashed } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { PanelCard } from '../../components/page/panel-card.tsx'
import { Money } from '../../components/values/money.tsx'
import { ProductTitle } from '../../components/values/product-title.tsx'
import { TouchTimeline } from './touch-timeline.tsx'
import { distance, type ExplainedLine, type ExplainedTransaction, matches, outcomeLabel } from './words.ts'

/** A person may have hundreds of touches. The rest are shown on request. */
const TOUCHES_SHOWN = 12

export interface SaleLineProps {
  line: ExplainedLine
  sale: ExplainedTransaction
  timeZone: string | undefined
}

/** One line of a sale: who was credited with it, and every view and click of the person. */
export function SaleLine({ line, sale, timeZone }: SaleLineProps) {
  const [isAll, setAll] = useState(false)
  const { touches, shopProductId, quantity, price } = line
  const shown = isAll ? touches : touches.slice(0, TOUCHES_SHOWN)
  return (
    <PanelCard
      title={`Line ${line.line + 1}: ${shopProductId}`}
      description={<ProductTitle shopId={sale.shopId} id={shopProductId} />}
      actions={
        <Text size="sm" fw={600}>
          {quantity > 1 && `${quantity} × · `}
          <Money amount={price} currency={sale.currency} />
          {line.returnedQuantity > 0 && ` · ${line.returnedQuantity} returned`}
        </Text>
      }
    >
      <Outcome line={line} sale={sale} />
      {touches.length > 0 && (
        <>
          <Text size="sm" fw={600} mt="md" mb="sm">
            {touches.length === 1
              ? 'The only view or click of this person'
              : `All ${touches.length} views and clicks, the strongest first`}
          </Text>
          <TouchTimeline touches={shown} sale={sale} timeZone={timeZone} />
          {shown.length < touches.length && (
            <Button variant="default" size="xs" mt="sm" onClick={() => setAll(true)}>
              {`Show ${touches.length - shown.length} more`}
            </Button>
          )}
        </>
      )}
    </PanelCard>
  )
}

function Outcome({ line: { credit, outcome, why }, sale }: Pick<SaleLineProps, 'line' | 'sale'>) {
  if (!credit) {
    return (
      <Alert
        variant="light"
        color="gray"
        icon={<IconCircleDashed size={18} aria-hidden />}
        title={outcomeLabel(outcome)}
      >
        {why}
      </Alert>
    )
  }
  const { campaignId, campaignName, touchType, touchAt, match } = credit
  return (
    <Alert variant="light" color="teal" icon={<IconCircleCheck size={18} aria-hidden />} title="Credited">
      <Group gap={4} component="p" m={0}>
        <Anchor component={Link} to={`/campaigns/${campaignId}`} size="sm" underline="always" c="inherit">
          {campaignName ?? campaignId}
        </Anchor>
        {`for the ${touchType.toLowerCase()} ${distance(touchAt, sale.occurredAt)}, of ${matches[match]}.`}
      </Group>
    </Alert>
  )
}
