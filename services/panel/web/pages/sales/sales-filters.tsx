import { Select } from '@mantine/core'
import { useState } from 'react'
import type { Shop } from '../../client/types.ts'
import { CampaignSelect } from '../../components/form/campaign-select.tsx'
import { useAddressValue } from '../../data/use-address-value.ts'
import { PAGE_SIZE_MAX, useList } from '../../data/use-list.ts'
import { t } from '../../messages/pages/sales.ts'
import { useShop } from '../../session/shop-context.tsx'
import { ProductSelect } from './product-select.tsx'
import { kinds, type ListedSale } from './sale-words.ts'

type Kind = ListedSale['kind']
type Credit = 'true' | 'false' | 'all'

/**
 * What the list of sales is narrowed to, stored in the address. Advertisers see the sales of all shops together until they choose
 * one; to others the list is of the shop in the header.
 */
export function useSalesFilters(isAdvertiser: boolean) {
  const { shop, shops } = useShop()
  const [askedShopId, setShopId] = useAddressValue('shopId')
  const [accountId, setAccountId] = useAddressValue('accountId')
  const [campaignId, setCampaignId] = useAddressValue('campaignId')
  const [purchasedProductId, setPurchasedProductId] = useAddressValue('purchasedProductId')
  const [kind, setKind] = useAddressValue<Kind>('kind')
  const [credit, setCredit] = useAddressValue<Credit>('credited')
  const [onlyShop] = shops?.length === 1 ? shops : []
  return {
    isAdvertiser,
    ofShop: isAdvertiser ? (onlyShop ?? shops?.find(({ id }) => id === askedShopId)) : shop,
    kind: kind ?? 'PURCHASE',
    credit: isAdvertiser ? 'true' : (credit ?? 'true'),
    accountId: isAdvertiser ? null : accountId,
    ...{ campaignId, purchasedProductId },
    ...{ setShopId, setAccountId, setCampaignId, setPurchasedProductId, setKind, setCredit },
  }
}

export function SalesFilters({ filters }: { filters: ReturnType<typeof useSalesFilters> }) {
  const { isAdvertiser, ofShop, kind, credit, accountId, campaignId, purchasedProductId } = filters
  return (
    <>
      {isAdvertiser && <ShopSelect shop={ofShop} onChange={filters.setShopId} />}
      <Select
        label={t('kind')}
        w={{ base: '100%', xs: 124 }}
        allowDeselect={false}
        value={kind}
        onChange={(value) => filters.setKind(value as Kind)}
        data={kinds.map((value) => ({ value, label: t(`${value}s`) }))}
      />
      {!isAdvertiser && ofShop && (
        <AdvertiserSelect shopId={ofShop.id} value={accountId} onChange={filters.setAccountId} />
      )}
      <CampaignSelect shopId={ofShop?.id} value={campaignId} onChange={filters.setCampaignId} />
      {ofShop && (
        <ProductSelect
          label={t('purchasedProduct')}
          placeholder={t('anyProduct')}
          shopId={ofShop.id}
          value={purchasedProductId}
          onChange={filters.setPurchasedProductId}
        />
      )}
      {!isAdvertiser && (
        <Select
          label={t('credit')}
          w={{ base: '100%', xs: 168 }}
          allowDeselect={false}
          value={credit}
          onChange={(value) => filters.setCredit(value as Credit)}
          data={[
            { value: 'true', label: t('creditedToAds') },
            { value: 'false', label: t('creditedToNobody') },
            { value: 'all', label: t('all') },
          ]}
        />
      )}
    </>
  )
}

/** Nothing where there is one shop only. */
function ShopSelect({ shop, onChange }: { shop: Shop | undefined; onChange: (id: string | null) => void }) {
  const { shops = [] } = useShop()
  if (shops.length < 2) return null
  return (
    <Select
      label={t('shop')}
      placeholder={t('allShops')}
      w={{ base: '100%', xs: 170 }}
      clearable
      searchable
      value={shop?.id ?? null}
      data={shops.map(({ id, name }) => ({ value: id, label: name }))}
      onChange={onChange}
    />
  )
}

interface AdvertiserSelectProps {
  shopId: string
  value: string | null
  onChange: (id: string | null) => void
}

/** Offers the accounts that have campaigns in the shop. These are read when they are to be chosen from, or the chosen one is to be named. */
function AdvertiserSelect({ shopId, value, onChange }: AdvertiserSelectProps) {
  const [wasOpened, setOpened] = useState(false)
  const { items = [] } = useList('/v1/panel/campaigns', {
    query: { shopId },
    pageSize: PAGE_SIZE_MAX,
    enabled: wasOpened || value !== null,
  })
  const names = new Map(items.map(({ accountId, accountName }) => [accountId, accountName ?? accountId]))
  if (value !== null && !names.has(value)) names.set(value, value)
  return (
    <Select
      label={t('advertiser')}
      placeholder={t('anyAdvertiser')}
      w={{ base: '100%', xs: 190 }}
      clearable
      searchable
      data={[...names].map(([id, label]) => ({ value: id, label })).sort((a, b) => a.label.localeCompare(b.label))}
      value={value}
      onChange={onChange}
      onDropdownOpen={() => setOpened(true)}
    />
  )
}
