import { Radio, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { CAPPING_MAX } from '../../../../../../schemas/http/panel/limits.ts'
import { FormSection } from '../../../components/form/form-section.tsx'
import { MoneyInput } from '../../../components/form/money-input.tsx'
import { NumberField } from '../../../components/form/number-field.tsx'
import { formatMoney } from '../../../components/values/money.tsx'
import { t } from '../../../messages/pages/campaigns/editor.ts'
import type { SectionProps } from './campaign-form.ts'

/** The dates of the campaign, in the shop's time zone. */
export function DatesSection({ form, shop, isNew }: SectionProps) {
  const zone = shop?.timeZone.replaceAll('_', ' ') ?? ''
  return (
    <FormSection title={t('dates')}>
      <SimpleGrid cols={{ base: 1, xs: 2 }} maw={456}>
        <TextInput
          type="datetime-local"
          label={t('starts', { zone })}
          description={isNew ? t('startsEmpty') : t('startsHelp')}
          {...form.getInputProps('startAt')}
        />
        <TextInput
          type="datetime-local"
          label={t('ends', { zone })}
          description={t('endsEmpty')}
          {...form.getInputProps('endAt')}
        />
      </SimpleGrid>
    </FormSection>
  )
}

/** The budget, bid and pacing of the campaign. */
export function MoneySection({ form, shop }: SectionProps) {
  const { kind, autoPromo } = form.values
  const currency = shop?.currency
  const isSponsored = kind === 'SPONSORED'
  if (autoPromo) return <FreeSection form={form} />
  return (
    <FormSection title={t('money')} description={isSponsored ? t('validClicks') : t('validViews')}>
      {isSponsored ? (
        <MoneyInput
          label={t('cpc')}
          required
          description={
            shop ? t('cpcHelpReserve', { amount: formatMoney(shop.reserveCpc, shop.currency) }) : t('cpcHelp')
          }
          currency={currency}
          maw={456}
          {...form.getInputProps('cpc')}
        />
      ) : (
        <MoneyInput
          label={t('cpm')}
          required
          description={t('cpmHelp')}
          currency={currency}
          maw={456}
          {...form.getInputProps('cpm')}
        />
      )}
      <SimpleGrid cols={{ base: 1, xs: 2 }} maw={456}>
        <MoneyInput
          label={t('budget')}
          required
          description={t('budgetHelp')}
          currency={currency}
          {...form.getInputProps('budget')}
        />
        <MoneyInput
          label={t('dailyBudget')}
          description={t('dailyBudgetHelp')}
          currency={currency}
          {...form.getInputProps('dailyBudget')}
        />
      </SimpleGrid>
      <Radio.Group label={t('pacing')} {...form.getInputProps('pacing')}>
        <Stack gap="xs" mt={6}>
          <Radio value="EVEN" label={t('pacingEven')} description={t('pacingEvenHelp')} />
          <Radio value="ASAP" label={t('pacingAsap')} description={t('pacingAsapHelp')} />
        </Stack>
      </Radio.Group>
      <Capping form={form} />
    </FormSection>
  )
}

function FreeSection({ form }: Pick<SectionProps, 'form'>) {
  return (
    <FormSection title={t('money')} description={t('freeHelp')}>
      <Capping form={form} />
    </FormSection>
  )
}

function Capping({ form }: Pick<SectionProps, 'form'>) {
  return (
    <NumberField
      label={t('capping')}
      description={t('cappingHelp')}
      min={1}
      max={CAPPING_MAX}
      {...form.getInputProps('capping')}
    />
  )
}
