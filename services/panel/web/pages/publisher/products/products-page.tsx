import { Badge, Button, Group, Select } from '@mantine/core'
import { Link } from 'react-router'
import { PAGE_LIMIT_MAX } from '../../../../../../schemas/http/panel/limits.ts'
import type { Product } from '../../../client/types.ts'
import { type Column, DataTable } from '../../../components/page/data-table.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { Money } from '../../../components/values/money.tsx'
import { formatCount } from '../../../components/values/numbers.ts'
import { ProductPicture } from '../../../components/values/product-picture.tsx'
import { DateTime } from '../../../components/values/times.tsx'
import { useAddressText, useAddressValue } from '../../../data/use-address-value.ts'
import { PAGE_SIZE_MAX, useList } from '../../../data/use-list.ts'
import { t } from '../../../messages/pages/shop/products.ts'
import { useShop } from '../../../session/shop-context.tsx'
import { NoShop } from '../shops/no-shop.tsx'
import { feedWord, wordsOf } from './why-not.ts'

/** Names the table in the browser's storage and in files. */
const TABLE = 'products'

const columnsIn = (timeZone: string | undefined): Column<Product>[] => [
  {
    key: 'product',
    title: t('product'),
    sortBy: ({ title }) => title,
    cell: ({ title, imageLink }) => (
      <Group gap="sm" wrap="nowrap">
        <ProductPicture src={imageLink} />
        <bdi>{title}</bdi>
      </Group>
    ),
  },
  { key: 'id', title: t('id'), sortBy: ({ id }) => id, cell: ({ id }) => id },
  { key: 'brand', title: t('brand'), sortBy: ({ brand }) => brand, cell: ({ brand }) => brand ?? '–' },
  { key: 'price', title: t('price'), sortBy: priceOf, cell: (product) => <Price product={product} />, align: 'end' },
  {
    key: 'currency',
    title: t('currency'),
    isHidden: true,
    csv: ({ currency }) => currency,
    cell: ({ currency }) => currency,
  },
  { key: 'stock', title: t('stock'), sortBy: stockOf, cell: stockOf },
  {
    key: 'campaigns',
    title: t('campaigns'),
    isHidden: true,
    align: 'end',
    sortBy: ({ campaignIds }) => campaignIds.length,
    cell: ({ campaignIds }) => formatCount(campaignIds.length),
  },
  {
    key: 'changed',
    title: t('changed'),
    isHidden: true,
    sortBy: ({ updatedAt }) => updatedAt,
    cell: ({ updatedAt }) => <DateTime at={updatedAt} timeZone={timeZone} />,
  },
  { key: 'ads', title: t('ads'), sortBy: adsOf, cell: (product) => <Ads product={product} />, width: 240 },
]

const priceOf = ({ price, salePrice }: Product) => salePrice ?? price

function Price({ product }: { product: Product }) {
  return <Money amount={priceOf(product)} currency={product.currency} />
}

/** The availability in the feed, unless the product has expired since. */
const stockOf = ({ isAvailable, availability }: Product): string =>
  !isAvailable && availability !== 'out_of_stock' ? t('notInStock') : feedWord(availability)

const adsOf = ({ whyNot: [first] }: Product): string => (first ? wordsOf(first).what : t('eligible'))

function Ads({ product }: { product: Product }) {
  return product.whyNot.length > 0 ? (
    adsOf(product)
  ) : (
    <Badge variant="dot" color="teal" radius="sm" tt="none" fw={500}>
      {t('eligible')}
    </Badge>
  )
}

/** The products of a shop, and whether each can be an ad now. */
export default function ProductsPage() {
  const { shop, shops } = useShop()
  const [asked, ask] = useAddressText('q')
  const [available, setAvailable] = useAddressValue('available')
  const [askedFeed, setFeedId] = useAddressValue('feed')
  const q = asked.trim()
  const feeds = useList('/v1/panel/feeds', {
    query: { shopId: shop?.id },
    pageSize: PAGE_SIZE_MAX,
    enabled: shop !== undefined,
  })
  // Another shop may have been chosen since: its list must not be empty for a feed that it does not have.
  const isForeign = feeds.items && !feeds.isStale && !feeds.items.some(({ id }) => id === askedFeed)
  const feedId = isForeign ? null : askedFeed
  const list = useList('/v1/panel/products', {
    query: {
      shopId: shop?.id ?? '',
      ...(q && { q }),
      ...(feedId && { feedId }),
      ...(available && { available: available === 'true' }),
    },
    pageSize: PAGE_LIMIT_MAX,
    enabled: shop !== undefined,
  })
  return (
    <>
      <PageHeader title={t('products')} description={t('productsHelp')} />
      {shops && !shop ? (
        <NoShop />
      ) : (
        <DataTable
          id={TABLE}
          label={t('products')}
          list={list}
          columns={columnsIn(shop?.timeZone)}
          rowKey={({ feedId, id }) => `${feedId}/${id}`}
          rowLink={({ id }) => `/products/${encodeURIComponent(id)}`}
          search={{ asked, ask }}
          filters={
            <>
              <Select
                aria-label={t('stock')}
                placeholder={t('anyStock')}
                clearable
                w={170}
                data={[
                  { value: 'true', label: t('inStock') },
                  { value: 'false', label: t('notInStock') },
                ]}
                value={available}
                onChange={setAvailable}
              />
              {feeds.items && feeds.items.length > 1 && (
                <Select
                  aria-label={t('feed')}
                  placeholder={t('allFeeds')}
                  clearable
                  w={170}
                  data={feeds.items.map(({ id, name }) => ({ value: id, label: name }))}
                  value={feedId}
                  onChange={setFeedId}
                />
              )}
            </>
          }
          counted={(counts) => t('counted', counts)}
          empty={emptyOf(available !== null || feedId !== null)}
        />
      )}
    </>
  )
}

function emptyOf(isFiltered: boolean) {
  if (isFiltered) return { title: t('noneSuch'), description: t('noneSuchHelp') }
  return {
    title: t('noneYet'),
    description: t('noneYetHelp'),
    action: (
      <Button component={Link} to="/feeds">
        {t('toFeeds')}
      </Button>
    ),
  }
}
