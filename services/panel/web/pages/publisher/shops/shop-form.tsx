import { Radio, Select, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { ReactNode } from 'react'
import type { Shop } from '../../../client/types.ts'
import { FormActions, FormSection } from '../../../components/form/form-section.tsx'
import { NumberField } from '../../../components/form/number-field.tsx'
import { MoneyInput } from '../../../components/values/money.tsx'
import { InvalidTrafficSection, type TrafficRule } from './invalid-traffic-section.tsx'

export interface ShopValues {
  name: string
  currency: string
  lang: string
  country: string
  timeZone: string
  clickWindowHours: number
  viewWindowHours: number
  reserveCpc: number
  transactionTrust: NonNullable<Shop['transactionTrust']>
  /** Absent for a new shop, which starts with the default rules. */
  invalidTraffic: TrafficRule[]
}

const HOURS_OF_CLICKS = 336
const HOURS_OF_VIEWS = 24
const RESERVE_CPC = 0.01
const CLICK_HOURS_MAX = 2_160
const VIEW_HOURS_MAX = 720

const trusts: readonly { value: ShopValues['transactionTrust']; label: string; description: string }[] = [
  { value: 'OPEN', label: 'All', description: 'A proven version still goes before an anonymous one' },
  {
    value: 'PREFER_SIGNED',
    label: 'All, with the anonymous marked',
    description: 'See what your pages and servers do not sign yet',
  },
  {
    value: 'SIGNED_ONLY',
    label: 'Only those that are signed, or sent with a token',
    description: 'Anonymous purchases are kept without credit',
  },
]

/** The form of a shop, for useSave and the page. A new shop starts in the browser's time zone. */
export function useShopForm(shop?: Shop) {
  return useForm<ShopValues>({
    initialValues: {
      name: shop?.name ?? '',
      currency: shop?.currency ?? 'EUR',
      lang: shop?.lang ?? '',
      country: shop?.country ?? '',
      timeZone: shop?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
      clickWindowHours: shop?.clickWindowHours ?? HOURS_OF_CLICKS,
      viewWindowHours: shop?.viewWindowHours ?? HOURS_OF_VIEWS,
      reserveCpc: shop?.reserveCpc ?? RESERVE_CPC,
      transactionTrust: shop?.transactionTrust ?? 'OPEN',
      invalidTraffic: shop?.invalidTraffic ?? [],
    },
    validate: { name: (name) => (name.trim() === '' ? 'Needed' : null) },
  })
}

/** All time zones that the browser knows, and the current one. */
function timeZones(own: string): string[] {
  return [...new Set([own, 'UTC', ...Intl.supportedValuesOf('timeZone')])].filter(Boolean).sort()
}

/** Formats hours: 336 becomes '14 days'. */
const daysOf = (hours: number) =>
  hours > 0 && hours % 24 === 0 ? `${hours / 24} ${hours === 24 ? 'day' : 'days'}` : ''

export interface ShopFormProps {
  form: ReturnType<typeof useShopForm>
  isNew: boolean
  isSaving: boolean
  onSubmit: (values: ShopValues) => void
  /** Shown before the first field: the choice of the owner. */
  owner?: ReactNode
  /** The delete button. */
  children?: ReactNode
}

export function ShopForm({ form, isNew, isSaving, onSubmit, owner, children }: ShopFormProps) {
  const { currency, timeZone, clickWindowHours, viewWindowHours } = form.values
  return (
    <form onSubmit={form.onSubmit(onSubmit)}>
      <FormSection title="Shop" description="What it is called, and where it sells.">
        {owner}
        <TextInput label="Name" required maxLength={200} {...form.getInputProps('name')} />
        <TextInput
          label="Country"
          description="Two letters: DE"
          required
          maxLength={2}
          maw={320}
          {...form.getInputProps('country')}
          onChange={({ currentTarget: { value } }) => form.setFieldValue('country', value.toUpperCase())}
        />
        <TextInput
          label="Language"
          description="Of the shop and its search: de"
          required
          maxLength={3}
          maw={320}
          {...form.getInputProps('lang')}
          onChange={({ currentTarget: { value } }) => form.setFieldValue('lang', value.toLowerCase())}
        />
      </FormSection>
      <FormSection
        title="Money and days"
        description="Bids, budgets and bills are in this currency; days are of this zone."
      >
        <TextInput
          label="Currency"
          description={isNew ? 'Three letters: EUR. Cannot be changed later' : 'Cannot be changed: bills are in it'}
          required
          disabled={!isNew}
          maxLength={3}
          maw={320}
          {...form.getInputProps('currency')}
          onChange={({ currentTarget: { value } }) => form.setFieldValue('currency', value.toUpperCase())}
        />
        <Select
          label="Time zone"
          description="Of daily budgets, caps and reports"
          searchable
          allowDeselect={false}
          limit={100}
          data={timeZones(timeZone)}
          {...form.getInputProps('timeZone')}
        />
        <MoneyInput
          label="Reserve"
          description="The least that a click costs; lower bids are not shown"
          currency={currency}
          required
          {...form.getInputProps('reserveCpc')}
        />
      </FormSection>
      <FormSection
        title="Attribution"
        description="How long after a click or view a purchase counts for the ad. Reports can look at other windows without a change here."
      >
        <NumberField
          label="After a click, hours"
          description={daysOf(clickWindowHours) || 'Up to 90 days'}
          required
          min={1}
          max={CLICK_HOURS_MAX}
          {...form.getInputProps('clickWindowHours')}
        />
        <NumberField
          label="After a view, hours"
          description={viewWindowHours === 0 ? 'Views never count' : daysOf(viewWindowHours) || '0: views never count'}
          required
          max={VIEW_HOURS_MAX}
          {...form.getInputProps('viewWindowHours')}
        />
      </FormSection>
      <FormSection
        title="Trust"
        description="Anybody can send a purchase to an open endpoint. Which of those received from now on are credited?"
      >
        <Radio.Group aria-label="Purchases that are credited" {...form.getInputProps('transactionTrust')}>
          <Stack gap="sm">
            {trusts.map((trust) => (
              <Radio key={trust.value} {...trust} />
            ))}
          </Stack>
        </Radio.Group>
      </FormSection>
      {!isNew && <InvalidTrafficSection form={form as never} />}
      <FormActions
        label={isNew ? 'Create shop' : 'Save'}
        isSaving={isSaving}
        hasChanges={form.isDirty}
        cancelTo="/shops"
      >
        {children}
      </FormActions>
    </form>
  )
}
