import { Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { v4 as uuid } from 'uuid'
import { NAME_CHARS_MAX } from '../../../../../schemas/http/panel/limits.ts'
import { answer, client } from '../../client/client.ts'
import { Dialog } from '../../components/form/dialog.tsx'
import { DialogActions } from '../../components/form/dialog-actions.tsx'
import { NumberField, type NumberValue } from '../../components/form/number-field.tsx'
import { PanelCard } from '../../components/page/panel-card.tsx'
import { DateTime } from '../../components/values/times.tsx'
import { useSave } from '../../data/use-save.ts'
import { t } from '../../messages/pages/sales.ts'
import type { ExplainedTransaction } from './sale-words.ts'

export interface SaleReturnsProps {
  eventId: string
  sale: ExplainedTransaction
  timeZone: string | undefined
}

/** The returns of a purchase, with a dialog to enter more. */
export function SaleReturns({ eventId, sale, timeZone }: SaleReturnsProps) {
  const [isNew, setNew] = useState(false)
  const { returns = [], lines } = sale
  const isAllBack = lines.every(({ quantity, returnedQuantity }) => returnedQuantity >= quantity)
  return (
    <PanelCard
      title={t('returns')}
      description={t('returnsHelp')}
      actions={
        <Button size="xs" variant="default" disabled={isAllBack} onClick={() => setNew(true)}>
          {t('enterReturn')}
        </Button>
      }
    >
      {returns.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('noReturns')}
        </Text>
      )}
      <Stack gap="xs">
        {returns.map((each) => (
          <Group key={each.returnId} gap="xs">
            <Text size="sm">{wordsOf(each.lines)}</Text>
            <Text size="sm" c="dimmed">
              {each.reason}
            </Text>
            <Text size="sm" c="dimmed" ms="auto">
              <DateTime at={each.occurredAt} timeZone={timeZone} />
            </Text>
          </Group>
        ))}
      </Stack>
      {isNew && <ReturnDialog eventId={eventId} sale={sale} close={() => setNew(false)} />}
    </PanelCard>
  )
}

const wordsOf = (lines: readonly { shopProductId: string; quantity: number }[]): string =>
  lines.length === 0
    ? t('wholeOrder')
    : lines.map(({ shopProductId, quantity }) => `${quantity} × ${shopProductId}`).join(', ')

interface ReturnValues {
  isWhole: boolean
  /** Units returned now, by product. */
  quantities: Record<string, NumberValue>
  reason: string
}

function ReturnDialog({ eventId, sale, close }: Omit<SaleReturnsProps, 'timeZone'> & { close: () => void }) {
  // The id of this return, so that submitting twice enters it only once.
  const [returnId] = useState(() => uuid())
  const left = unitsLeft(sale)
  const form = useForm<ReturnValues>({
    initialValues: { isWhole: true, quantities: {}, reason: '' },
    validate: {
      quantities: (quantities, { isWhole }) =>
        isWhole || Object.values(quantities).some((quantity) => quantity !== '' && quantity > 0)
          ? null
          : t('nothingReturned'),
    },
  })
  const { submit, isSaving } = useSave({
    save: ({ isWhole, quantities, reason }: ReturnValues) => {
      const lines = Object.entries(quantities).flatMap(([shopProductId, quantity]) =>
        quantity === '' || quantity === 0 ? [] : [{ shopProductId, quantity }],
      )
      const body = { returnId, shopId: sale.shopId, reason: reason || null, ...(!isWhole && { lines }) }
      return answer(client.POST('/v1/panel/transactions/{eventId}/returns', { params: { path: { eventId } }, body }))
    },
    changes: ['/v1/panel/explain/attribution/{eventId}', '/v1/panel/transactions'],
    form,
    saved: t('returnSaved'),
    onSaved: close,
  })
  const { isWhole, quantities } = form.values
  return (
    <Dialog opened onClose={close} title={t('enterReturn')}>
      <form onSubmit={form.onSubmit((values) => void submit(values))}>
        <Stack>
          <Checkbox
            label={t('wholeOrder')}
            description={t('wholeOrderHelp')}
            {...form.getInputProps('isWhole', { type: 'checkbox' })}
          />
          {!isWhole &&
            [...left].map(([shopProductId, units]) => (
              <NumberField
                key={shopProductId}
                label={shopProductId}
                description={t('unitsLeft', { count: units })}
                max={units}
                value={quantities[shopProductId] ?? 0}
                onChange={(value) => form.setFieldValue('quantities', { ...quantities, [shopProductId]: value })}
              />
            ))}
          {!isWhole && form.errors.quantities && (
            <Text size="sm" c="var(--mantine-color-error)" role="alert">
              {form.errors.quantities}
            </Text>
          )}
          <TextInput label={t('reason')} maxLength={NAME_CHARS_MAX} {...form.getInputProps('reason')} />
          <DialogActions label={t('saveReturn')} isSaving={isSaving} close={close} />
        </Stack>
      </form>
    </Dialog>
  )
}

/** Units of each product that have not been returned. */
function unitsLeft({ lines }: ExplainedTransaction): Map<string, number> {
  const left = new Map<string, number>()
  for (const { shopProductId, quantity, returnedQuantity } of lines) {
    const units = quantity - returnedQuantity
    if (units > 0) left.set(shopProductId, (left.get(shopProductId) ?? 0) + units)
  }
  return left
}
