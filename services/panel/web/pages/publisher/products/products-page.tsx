import { Badge, Group, Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useSearchParams } from 'react-router'
import type { Product } from '../../../client/types.ts'
import { type Column, DataTable } from '../../../components/page/data-table.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { Money } from '../../../components/values/money.tsx'
import { ProductPicture } from '../../../components/values/product-picture.tsx'
import { PAGE_SIZE_MAX, useList } from '../../../data/use-list.ts'
import { useShop } from '../../../session/shop-context.tsx'
import { NoShop } from '../shops/no-shop.tsx'
import { wordsOf } from './why-not.ts'

const SEARCH_WAIT_MS = 300

const columns: Column<Product>[] = [
  {
    title: 'Product',
    cell: ({ title, imageLink }) => (
      <Group gap="sm" wrap="nowrap">
        <ProductPicture src={imageLink} />
        <span>{title}</span>
      </Group>
    ),
  },
  { title: 'Id', cell: ({ id }) => id },
  { title: 'Brand', cell: ({ brand }) => brand ?? '–' },
  { title: 'Price', cell: (product) => <Price product={product} />, align: 'end' },
  { title: 'Available', cell: ({ isAvailable }) => (isAvailable ? 'Yes' : 'No') },
  { title: 'Ads', cell: (product) => <Showable product={product} />, width: 240 },
]

function Price({ product: { price, salePrice, currency } }: { product: Product }) {
  return <Money amount={salePrice ?? price} currency={currency} />
}

function Showable({ product: { whyNot } }: { product: Product }) {
  const [first] = whyNot
  return first ? (
    wordsOf(first).what
  ) : (
    <Badge variant="dot" color="teal" radius="sm" tt="none" fw={500}>
      Can be shown
    </Badge>
  )
}

/** The products of a shop, with whether each can be an ad now. */
export default function ProductsPage() {
  const { shop, shops } = useShop()
  const [search, setSearch] = useSearchParams()
  const typed = search.get('q') ?? ''
  const available = search.get('available')
  const feedId = search.get('feed')
  const [q] = useDebouncedValue(typed.trim(), SEARCH_WAIT_MS)
  const feeds = useList('/v1/panel/feeds', {
    query: { shopId: shop?.id },
    pageSize: PAGE_SIZE_MAX,
    enabled: shop !== undefined,
  })
  const list = useList('/v1/panel/products', {
    query: {
      shopId: shop?.id ?? '',
      ...(q && { q }),
      ...(feedId && { feedId }),
      ...(available && { available: available === 'true' }),
    },
    enabled: shop !== undefined,
  })
  const put = (name: string, value: string | null) => {
    const next = new URLSearchParams(search)
    if (value) next.set(name, value)
    else next.delete(name)
    setSearch(next, { replace: true })
  }
  return (
    <>
      <PageHeader title="Products" description="What the feeds hold, and why a product cannot be shown as an ad." />
      {shops && !shop ? (
        <NoShop />
      ) : (
        <DataTable
          label="Products"
          list={list}
          columns={columns}
          rowKey={({ feedId, id }) => `${feedId}/${id}`}
          rowLink={({ id }) => `/products/${encodeURIComponent(id)}`}
          search={{ value: typed, onChange: (value) => put('q', value) }}
          filters={
            <>
              <Select
                aria-label="Availability"
                placeholder="Any availability"
                clearable
                w={170}
                data={[
                  { value: 'true', label: 'Available' },
                  { value: 'false', label: 'Not available' },
                ]}
                value={available}
                onChange={(value) => put('available', value)}
              />
              {feeds.items && feeds.items.length > 1 && (
                <Select
                  aria-label="Feed"
                  placeholder="All feeds"
                  clearable
                  w={170}
                  data={feeds.items.map(({ id, name }) => ({ value: id, label: name }))}
                  value={feedId}
                  onChange={(value) => put('feed', value)}
                />
              )}
            </>
          }
          empty={{ title: 'No products', description: 'They come from the shop’s feeds.' }}
        />
      )}
    </>
  )
}
