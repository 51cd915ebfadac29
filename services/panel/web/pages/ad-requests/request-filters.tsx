import { Button, Group, Select, TextInput } from '@mantine/core'
import { ID_CHARS_MAX } from '../../../../../schemas/http/panel/limits.ts'
import type { Query, Role, Shop } from '../../client/types.ts'
import { CampaignSelect } from '../../components/form/campaign-select.tsx'
import { useAddressQuery, useAddressText, useAddressValue } from '../../data/use-address-value.ts'
import { PAGE_SIZE_MAX, useList } from '../../data/use-list.ts'
import { useSettled } from '../../data/use-settled.ts'
import { t } from '../../messages/pages/ad-requests.ts'

const SEARCHED_FROM = 8

type Filters = Pick<
  Query<'/v1/panel/explain/emissions'>,
  'adUnitId' | 'campaignId' | 'person' | 'productId' | 'kind' | 'withAds'
>

/**
 * The filters of the list of ad requests, stored in the address: what the API is asked, and the fields. Advertisers cannot filter
 * by person or ad unit.
 */
export function useRequestFilters({ role, shop }: { role: Role; shop: Shop | undefined }) {
  const isAdvertiser = role === 'ADVERTISER'
  const units = useList('/v1/panel/ad-units', {
    query: { shopId: shop?.id },
    pageSize: PAGE_SIZE_MAX,
    enabled: !isAdvertiser && shop !== undefined,
  })
  const [askedUnit, setAdUnitId] = useAddressValue('adUnitId')
  // Another shop may have been chosen since: its list must not be empty for an ad unit that it does not have.
  const isForeign = units.items && !units.isStale && !units.items.some(({ id }) => id === askedUnit)
  const adUnitId = isForeign ? null : askedUnit
  const [campaignId, setCampaignId] = useAddressValue('campaignId')
  const [person, setPerson] = useAddressText('person')
  const [productId, setProductId] = useAddressText('productId')
  const [kind, setKind] = useAddressValue('kind')
  const [withAds, setWithAds] = useAddressValue('withAds')
  const [, changeQuery] = useAddressQuery()
  const asked: Filters = {
    adUnitId: adUnitId || undefined,
    campaignId: campaignId || undefined,
    person: person.trim() || undefined,
    productId: productId.trim() || undefined,
    kind: kind === 'SPONSORED' || kind === 'DISPLAY' ? kind : undefined,
    withAds: withAds === null ? undefined : withAds === 'true',
  }
  return {
    asked,
    /** Undefined for advertisers, and until they have loaded. */
    units: units.items,
    shopId: isAdvertiser ? undefined : shop?.id,
    isFiltered: Object.values(asked).some((value) => value !== undefined),
    ...{ adUnitId, setAdUnitId, campaignId, setCampaignId },
    ...{ setPerson, setProductId, kind, setKind, withAds, setWithAds },
    clear: () => changeQuery(() => new URLSearchParams(), { replace: true }),
  }
}

interface RequestFiltersProps {
  role: Role
  filters: ReturnType<typeof useRequestFilters>
}

export function RequestFilters({ role, filters }: RequestFiltersProps) {
  return (
    <Group gap="sm" align="start" role="search">
      {role !== 'ADVERTISER' && (
        <>
          <Choice
            label={t('adUnit')}
            placeholder={t('anyAdUnit')}
            data={(filters.units ?? []).map(({ id, name }) => ({ value: id, label: name }))}
            value={filters.adUnitId}
            onChange={filters.setAdUnitId}
          />
          <Typed label={t('person')} description={t('personHelp')} name="person" settle={filters.setPerson} />
        </>
      )}
      <CampaignSelect shopId={filters.shopId} value={filters.campaignId} onChange={filters.setCampaignId} />
      <Typed label={t('product')} description={t('productHelp')} name="productId" settle={filters.setProductId} />
      <Choice
        label={t('kind')}
        placeholder={t('anyKind')}
        data={[
          { value: 'SPONSORED', label: t('SPONSORED') },
          { value: 'DISPLAY', label: t('DISPLAY') },
        ]}
        value={filters.kind}
        onChange={filters.setKind}
      />
      <Choice
        label={t('ads')}
        placeholder={t('withOrWithout')}
        data={[
          { value: 'true', label: t('withAds') },
          { value: 'false', label: t('withoutAds') },
        ]}
        value={filters.withAds}
        onChange={filters.setWithAds}
      />
      {filters.isFiltered && (
        <Button variant="default" mt={{ base: 0, xs: 25 }} onClick={filters.clear}>
          {t('clearFilters')}
        </Button>
      )}
    </Group>
  )
}

const WIDTH = { base: '100%', xs: 190 }

interface ChoiceProps {
  label: string
  placeholder: string
  data: { value: string; label: string }[]
  value: string | null
  onChange: (value: string | null) => void
}

const Choice = (props: ChoiceProps) => (
  <Select {...props} clearable searchable={props.data.length > SEARCHED_FROM} w={WIDTH} />
)

interface TypedProps {
  label: string
  description: string
  /** The name of the text in the address. */
  name: string
  settle: (text: string) => void
}

function Typed({ name, settle, ...props }: TypedProps) {
  const [typed, setTyped] = useAddressText(name)
  useSettled(typed, settle)
  return (
    <TextInput
      {...props}
      inputWrapperOrder={['label', 'input', 'description']}
      w={WIDTH}
      maxLength={ID_CHARS_MAX}
      spellCheck={false}
      autoComplete="off"
      value={typed}
      onChange={({ currentTarget: { value } }) => setTyped(value)}
    />
  )
}
