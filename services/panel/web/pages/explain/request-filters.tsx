import { Button, Group, Select, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { Query, Role, Shop } from '../../client/types.ts'
import { useAddressQuery, useAddressText, useAddressValue } from '../../data/use-address-value.ts'
import { PAGE_SIZE_MAX, useList } from '../../data/use-list.ts'
import { t } from '../../messages/pages/ad-requests.ts'

const ID_CHARS_MAX = 256
/** The list is refetched once the user has not typed for this long. */
const PAUSE_MS = 400
const SEARCHED_FROM = 8

type Filters = Pick<Query<'/v1/panel/explain/emissions'>, 'adUnitId' | 'person' | 'productId' | 'kind' | 'withAds'>

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
  const [person, setPerson] = useAddressText('person')
  const [productId, setProductId] = useAddressText('productId')
  const [kind, setKind] = useAddressValue('kind')
  const [withAds, setWithAds] = useAddressValue('withAds')
  const [, changeQuery] = useAddressQuery()
  const [askedPerson] = useDebouncedValue(person.trim(), PAUSE_MS)
  const [askedProduct] = useDebouncedValue(productId.trim(), PAUSE_MS)
  const asked: Filters = {
    adUnitId: adUnitId || undefined,
    person: askedPerson || undefined,
    productId: askedProduct || undefined,
    kind: kind === 'SPONSORED' || kind === 'DISPLAY' ? kind : undefined,
    withAds: withAds === null ? undefined : withAds === 'true',
  }
  return {
    asked,
    /** Undefined for advertisers, and until they have loaded. */
    units: units.items,
    isFiltered: Object.values(asked).some((value) => value !== undefined),
    ...{ adUnitId, setAdUnitId, person, setPerson, productId, setProductId, kind, setKind, withAds, setWithAds },
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
          <Typed label={t('person')} description={t('personHelp')} value={filters.person} onType={filters.setPerson} />
        </>
      )}
      <Typed
        label={t('product')}
        description={t('productHelp')}
        value={filters.productId}
        onType={filters.setProductId}
      />
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
  value: string
  onType: (text: string) => void
}

const Typed = ({ onType, ...props }: TypedProps) => (
  <TextInput
    {...props}
    inputWrapperOrder={['label', 'input', 'description']}
    w={WIDTH}
    maxLength={ID_CHARS_MAX}
    spellCheck={false}
    autoComplete="off"
    onChange={({ currentTarget: { value } }) => onType(value)}
  />
)
