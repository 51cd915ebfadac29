import { Radio, Stack, TextInput, VisuallyHidden } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { ReactNode } from 'react'
import {
  CLICK_WINDOW_HOURS_MAX,
  NAME_CHARS_MAX,
  VIEW_WINDOW_HOURS_MAX,
} from '../../../../../../schemas/http/panel/limits.ts'
import { reserveCpcDefault } from '../../../../../domain/money/money.ts'
import type { Shop } from '../../../client/types.ts'
import { CodeSelect } from '../../../components/form/code-select.tsx'
import { FormActions, FormSection } from '../../../components/form/form-section.tsx'
import { MoneyInput } from '../../../components/form/money-input.tsx'
import { NumberField } from '../../../components/form/number-field.tsx'
import type { ClashState } from '../../../data/changes/use-change.ts'
import { t } from '../../../messages/pages/shops.ts'
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

const trusts: readonly { value: ShopValues['transactionTrust']; label: string; description: string }[] = [
  { value: 'OPEN', label: t('trustOpen'), description: t('trustOpenHelp') },
  {
    value: 'PREFER_SIGNED',
    label: t('trustPrefer'),
    description: t('trustPreferHelp'),
  },
  {
    value: 'SIGNED_ONLY',
    label: t('trustSigned'),
    description: t('trustSignedHelp'),
  },
]

/** The form of a shop, for useSave and the page. A new shop starts in the browser's time zone. */
export function useShopForm(shop?: Shop) {
  return useForm<ShopValues>({
    initialValues: valuesOf(shop),
    validate: {
      name: required,
      country: required,
      lang: required,
      currency: required,
    },
  })
}

export const valuesOf = (shop?: Shop): ShopValues => ({
  name: shop?.name ?? '',
  currency: shop?.currency ?? '',
  lang: shop?.lang ?? '',
  country: shop?.country ?? '',
  timeZone: shop?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
  clickWindowHours: shop?.clickWindowHours ?? HOURS_OF_CLICKS,
  viewWindowHours: shop?.viewWindowHours ?? HOURS_OF_VIEWS,
  reserveCpc: shop?.reserveCpc ?? reserveOf(''),
  transactionTrust: shop?.transactionTrust ?? 'OPEN',
  invalidTraffic: shop?.invalidTraffic ?? [],
})

/** The reserve of a new shop. */
const reserveOf = (currency: string) => reserveCpcDefault(currency || 'EUR')

const required = (value: string) => (value.trim() === '' ? t('required') : null)

/** Formats hours: 336 becomes '14 days'. */
const daysOf = (hours: number) => (hours > 0 && hours % 24 === 0 ? t('days', { count: hours / 24 }) : '')

export interface ShopFormProps {
  form: ReturnType<typeof useShopForm>
  isNew: boolean
  isSaving: boolean
  /** None for a new shop. */
  clashes?: ClashState
  onSubmit: (values: ShopValues) => void
  /** Shown before the first field, to choose the owner. */
  owner?: ReactNode
  /** The delete button. */
  children?: ReactNode
}

export function ShopForm({ form, isNew, isSaving, clashes, onSubmit, owner, children }: ShopFormProps) {
  const { currency, clickWindowHours, viewWindowHours, reserveCpc } = form.values
  const setCurrency = (chosen: string | null) => {
    if (chosen === null) return
    form.setValues({ currency: chosen, ...(reserveCpc === reserveOf(currency) && { reserveCpc: reserveOf(chosen) }) })
  }
  return (
    <form onSubmit={form.onSubmit(onSubmit)}>
      <FormSection title={t('shop')} description={t('shopHelp')}>
        {owner}
        <TextInput label={t('name')} required maxLength={NAME_CHARS_MAX} {...form.getInputProps('name')} />
        <CodeSelect
          kind="country"
          label={t('country')}
          description={t('countryHelp')}
          required
          {...form.getInputProps('country')}
        />
        <CodeSelect
          kind="language"
          label={t('language')}
          description={t('languageHelp')}
          required
          {...form.getInputProps('lang')}
        />
      </FormSection>
      <FormSection title={t('money')} description={t('moneyHelp')}>
        <CodeSelect
          kind="currency"
          label={t('currency')}
          description={isNew ? t('currencyHelp') : t('currencyFixed')}
          required
          disabled={!isNew}
          {...form.getInputProps('currency')}
          onChange={setCurrency}
        />
        <CodeSelect
          kind="timeZone"
          label={t('timeZone')}
          description={t('timeZoneHelp')}
          required
          {...form.getInputProps('timeZone')}
        />
        <MoneyInput
          label={t('reserve')}
          description={t('reserveHelp')}
          currency={currency || undefined}
          required
          {...form.getInputProps('reserveCpc')}
        />
      </FormSection>
      <FormSection title={t('attribution')} description={t('attributionHelp')}>
        <NumberField
          label={t('clickWindow')}
          unit={t('hours')}
          description={daysOf(clickWindowHours) || t('clickWindowHelp')}
          required
          min={1}
          max={CLICK_WINDOW_HOURS_MAX}
          {...form.getInputProps('clickWindowHours')}
        />
        <NumberField
          label={t('viewWindow')}
          unit={t('hours')}
          description={viewWindowHours === 0 ? t('viewsNever') : daysOf(viewWindowHours) || t('viewWindowHelp')}
          required
          max={VIEW_WINDOW_HOURS_MAX}
          {...form.getInputProps('viewWindowHours')}
        />
      </FormSection>
      <FormSection title={t('trust')} description={t('trustHelp')}>
        <Radio.Group
          label={<VisuallyHidden>{t('trustAria')}</VisuallyHidden>}
          {...form.getInputProps('transactionTrust')}
        >
          <Stack gap="sm">
            {trusts.map((trust) => (
              <Radio key={trust.value} {...trust} />
            ))}
          </Stack>
        </Radio.Group>
      </FormSection>
      {!isNew && <InvalidTrafficSection form={form as never} />}
      <FormActions
        label={isNew ? t('create') : t('save')}
        isSaving={isSaving}
        hasChanges={form.isDirty}
        clashes={clashes}
        cancelTo="/shops"
      >
        {children}
      </FormActions>
    </form>
  )
}
