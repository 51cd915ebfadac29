import { Alert, Button, Group, Loader, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { answer, client } from '../../../client/client.ts'
import type { ApiProblem } from '../../../client/problem.ts'
import type { paths } from '../../../client/schema.d.ts'
import { t } from '../../../messages/pages/campaigns/products.ts'
import type { CampaignValues } from '../editor/values/campaign-values.ts'
import { productsBody } from '../editor/values/products-choice.ts'
import classes from './product-count.module.css'
import { ProductLine } from './product-line.tsx'

const DELAY_MS = 300
/** How often to count again while products of the shop are being indexed. */
const INDEXING_REFRESH_MS = 2_000

type CountBody = paths['/v1/panel/product-count']['post']['requestBody']['content']['application/json']

type Choice = Pick<CampaignValues, 'shopId' | 'accountId' | 'productsBy' | 'products'> & {
  /** The campaign that has these products. Given instead of the account, which not everybody who sees a campaign can see. */
  campaignId?: string
}

/** The request that counts the products that a choice promotes. */
export function productCountQuery({ shopId, accountId, campaignId, ...choice }: Choice) {
  const payer = campaignId ? { campaignId } : accountId ? { accountId } : {}
  const body: CountBody = { shopId, ...payer, products: productsBody(choice) }
  return {
    queryKey: ['/v1/panel/product-count', body],
    queryFn: () => answer(client.POST('/v1/panel/product-count', { body })),
  }
}

export function useProductCount(values: Choice) {
  const [asked] = useDebouncedValue(JSON.stringify(productCountQuery(values).queryKey[1]), DELAY_MS)
  const { products, shopId } = JSON.parse(asked) as CountBody
  const { priceMin, priceMax } = values.products.rule
  const isUnread = values.productsBy === 'rule' && (Number.isNaN(priceMin) || Number.isNaN(priceMax))
  const isEmpty = Object.values(products).every((part) => Object.keys(part).length === 0)
  const state = useQuery({
    queryKey: ['/v1/panel/product-count', JSON.parse(asked)],
    queryFn: () => answer(client.POST('/v1/panel/product-count', { body: JSON.parse(asked) })),
    enabled: !isEmpty && !isUnread && shopId !== '',
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => data?.indexing === true && INDEXING_REFRESH_MS,
  })
  return { ...state, isEmpty }
}

export interface ProductCountProps {
  values: Choice
  /** Removes the ids for which there is no product. */
  onRemove?: (ids: readonly string[]) => void
}

/** The number of products of the current choice. */
export function ProductCount({ values, onRemove }: ProductCountProps) {
  const { data, error, isFetching, isEmpty } = useProductCount(values)
  return (
    <div className={classes.box}>
      <div role="status" className={classes.line}>
        <Text size="sm" fw={500}>
          {isEmpty ? t('nothingChosen') : error ? (error as ApiProblem).message : data ? summary(data) : t('counting')}
        </Text>
        {isFetching && <Loader size={14} aria-hidden />}
      </div>
      {!isEmpty && data && !error && (
        <>
          {data.indexing && (
            <Text size="sm" c="dimmed" mt="xs">
              {t('indexing')}
            </Text>
          )}
          {data.matching === 0 && !data.indexing && (
            <Alert color="orange" variant="light" mt="xs">
              {t('nothingMatches')}
            </Alert>
          )}
          {values.productsBy === 'rule' && data.examples.length > 0 && (
            <ul className={classes.examples} aria-label={t('someOfThem')}>
              {data.examples.map((product) => (
                <li key={`${product.feedId}/${product.id}`}>
                  <ProductLine product={product} />
                </li>
              ))}
            </ul>
          )}
          {data.unknownIds.length > 0 && (
            <Alert color="orange" variant="light" mt="xs" title={t('unknownIds', { count: data.unknownIds.length })}>
              <Text size="sm" lineClamp={3}>
                {data.unknownIds.join(', ')}
              </Text>
              {onRemove && (
                <Group mt="xs">
                  <Button size="compact-sm" variant="default" onClick={() => onRemove(data.unknownIds)}>
                    {t('removeThem')}
                  </Button>
                </Group>
              )}
            </Alert>
          )}
        </>
      )}
    </div>
  )
}

function summary({ matching, available }: { matching: number; available: number }): string {
  const out = matching - available
  return out === 0 ? t('countProducts', { count: matching }) : t('countOutOfStock', { count: matching, out })
}
