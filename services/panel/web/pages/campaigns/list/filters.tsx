import { Select } from '@mantine/core'
import type { Campaign } from '../../../client/types.ts'
import { useAddressValue } from '../../../data/use-address-value.ts'
import { t } from '../../../messages/pages/campaigns/campaigns.ts'
import { useShop } from '../../../session/shop-context.tsx'
import { KINDS, STATES } from '../words.ts'

/** What the list of campaigns is narrowed to, stored in the address. Advertisers choose a shop, others an advertiser. */
export function useCampaignFilters(isAdvertiser: boolean) {
  const { shop } = useShop()
  const [state, setState] = useAddressValue('state')
  const [kind, setKind] = useAddressValue<Campaign['kind']>('kind')
  const [askedShopId, setShopId] = useAddressValue('shopId')
  const [askedAccountId, setAccountId] = useAddressValue('accountId')
  const accountId = isAdvertiser ? null : askedAccountId
  return {
    isAdvertiser,
    isArchive: state === 'ARCHIVED',
    isFiltered: [state, kind, accountId, isAdvertiser ? askedShopId : null].some((value) => value !== null),
    shopId: isAdvertiser ? askedShopId : shop?.id,
    isShown: (campaign: Campaign) =>
      (state === null || campaign.state === state) && (accountId === null || campaign.accountId === accountId),
    ...{ state, kind, accountId, setState, setKind, setShopId, setAccountId },
  }
}

export interface CampaignFiltersProps {
  filters: ReturnType<typeof useCampaignFilters>
  /** All campaigns of the list, whose advertisers are offered. */
  campaigns: readonly Campaign[]
}

export function CampaignFilters({ filters, campaigns }: CampaignFiltersProps) {
  const { isAdvertiser, state, kind, shopId, accountId } = filters
  const { shops = [] } = useShop()
  const advertisers = new Map(
    campaigns.map((campaign) => [campaign.accountId, campaign.accountName ?? campaign.accountId]),
  )
  if (accountId !== null && !advertisers.has(accountId)) advertisers.set(accountId, accountId)
  return (
    <>
      <Select
        aria-label={t('state')}
        placeholder={t('allStates')}
        clearable
        w={160}
        value={state}
        onChange={filters.setState}
        data={STATES}
      />
      <Select
        aria-label={t('kind')}
        placeholder={t('allKinds')}
        clearable
        w={150}
        value={kind}
        onChange={(value) => filters.setKind(value as Campaign['kind'] | null)}
        data={KINDS}
      />
      {isAdvertiser ? (
        <Choice
          label={t('shop')}
          placeholder={t('allShops')}
          names={new Map(shops.map(({ id, name }) => [id, name]))}
          value={shopId ?? null}
          onChange={filters.setShopId}
        />
      ) : (
        <Choice
          label={t('advertiser')}
          placeholder={t('allAdvertisers')}
          names={advertisers}
          value={accountId}
          onChange={filters.setAccountId}
        />
      )}
    </>
  )
}

interface ChoiceProps {
  label: string
  placeholder: string
  /** By id. */
  names: ReadonlyMap<string, string>
  value: string | null
  onChange: (id: string | null) => void
}

/** Nothing where there is no choice, unless the address has made one. */
function Choice({ label, placeholder, names, value, onChange }: ChoiceProps) {
  if (names.size < 2 && value === null) return null
  return (
    <Select
      aria-label={label}
      placeholder={placeholder}
      clearable
      searchable
      w={190}
      value={value}
      onChange={onChange}
      data={[...names].map(([id, name]) => ({ value: id, label: name })).sort((a, b) => a.label.localeCompare(b.label))}
    />
  )
}
