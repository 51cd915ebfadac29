import { Radio, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { FormSection } from '../../../components/form/form-section.tsx'
import { NumberField } from '../../../components/form/number-field.tsx'
import { formatMoney, MoneyInput } from '../../../components/values/money.tsx'
import type { SectionProps } from './campaign-form.ts'

/** The dates of the campaign, in the shop's time zone. */
export function DatesSection({ form, shop, isNew }: SectionProps) {
  return (
    <FormSection title="Dates" description={shop && `In the time of the shop, ${shop.timeZone.replaceAll('_', ' ')}.`}>
      <SimpleGrid cols={{ base: 1, xs: 2 }} maw={456}>
        <TextInput
          type="datetime-local"
          label="Starts"
          description={isNew ? 'At once without it' : 'When it begins'}
          {...form.getInputProps('startAt')}
        />
        <TextInput
          type="datetime-local"
          label="Ends"
          description="When the budget does without it"
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
    <FormSection
      title="Money"
      description={isSponsored ? 'Only valid clicks are billed.' : 'Only valid views are billed.'}
    >
      {isSponsored ? (
        <MoneyInput
          label="Bid for a click"
          required
          description={`The most that one click may cost; one pays just enough to win${
            shop && currency ? `. The shop takes ${formatMoney(shop.reserveCpc, currency)} at least` : ''
          }`}
          currency={currency}
          maw={456}
          {...form.getInputProps('cpc')}
        />
      ) : (
        <MoneyInput
          label="Price of a thousand views"
          required
          description="The highest offer wins, and pays what it offers"
          currency={currency}
          maw={456}
          {...form.getInputProps('cpm')}
        />
      )}
      <SimpleGrid cols={{ base: 1, xs: 2 }} maw={456}>
        <MoneyInput
          label="Budget"
          required
          description="The most it may spend in all"
          currency={currency}
          {...form.getInputProps('budget')}
        />
        <MoneyInput
          label="Daily budget"
          description="In one day; no limit without it"
          currency={currency}
          {...form.getInputProps('dailyBudget')}
        />
      </SimpleGrid>
      <Radio.Group label="Pacing" {...form.getInputProps('pacing')}>
        <Stack gap="xs" mt={6}>
          <Radio
            value="EVEN"
            label="Even"
            description="Spreads the spend over the days left, and over each day as shoppers come. Needs an end or a daily budget."
          />
          <Radio
            value="ASAP"
            label="As fast as possible"
            description="Takes every chance until the budget, or that of the day, is spent."
          />
        </Stack>
      </Radio.Group>
      <Capping form={form} />
    </FormSection>
  )
}

function FreeSection({ form }: Pick<SectionProps, 'form'>) {
  return (
    <FormSection title="Money" description="An own promotion costs nothing, and takes the places that paid ads leave.">
      <Capping form={form} />
    </FormSection>
  )
}

function Capping({ form }: Pick<SectionProps, 'form'>) {
  return (
    <NumberField
      label="Views per person and day"
      description="Of one ad; no cap without it"
      min={1}
      max={1_000}
      {...form.getInputProps('capping')}
    />
  )
}
