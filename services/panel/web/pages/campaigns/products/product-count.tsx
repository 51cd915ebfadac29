import { Alert, Button, Group, Loader, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { answer, client } from '../../../client/client.ts'
import type { ApiProblem } from '../../../client/problem.ts'
import type { paths } from '../../../client/schema.d.ts'
import { formatCount } from '../../../components/values/numbers.ts'
import { productsBody } from '../editor/values/campaign-body.ts'
import type { CampaignValues } from '../editor/values/campaign-values.ts'
import classes from './product-count.module.css'
import { ProductLine } from './product-line.tsx'

const DELAY_MS = 300

type CountBody = paths['/v1/panel/product-count']['post']['requestBody']['content']['application/json']

export interface ProductCountProps {
  values: Pick<CampaignValues, 'shopId' | 'accountId' | 'productsBy' | 'products'>
  /** Removes ids without a product. */
  onRemove?: (ids: readonly string[]) => void
}

/** The number of products of the current choice. */
export function ProductCount({ values, onRemove }: ProductCountProps) {
  const { shopId, accountId } = values
  const request = JSON.stringify({ shopId, ...(accountId ? { accountId } : {}), products: productsBody(values) })
  const [asked] = useDebouncedValue(request, DELAY_MS)
  const body: CountBody = JSON.parse(asked)
  const isEmpty = Object.values(body.products).every((part) => Object.keys(part).length === 0)
  const { data, error, isFetching } = useQuery({
    queryKey: ['/v1/panel/product-count', asked],
    queryFn: () => answer(client.POST('/v1/panel/product-count', { body })),
    enabled: !isEmpty && body.shopId !== '',
    placeholderData: keepPreviousData,
  })
  return (
    <div className={classes.box}>
      <div role="status" className={classes.line}>
        <Text size="sm" fw={500}>
          {isEmpty
            ? 'Nothing is chosen yet'
            : error
              ? (error as ApiProblem).message
              : data
                ? summary(data)
                : 'Counting …'}
        </Text>
        {isFetching && <Loader size={14} aria-hidden />}
      </div>
      {!isEmpty && data && !error && (
        <>
          {values.productsBy === 'rule' && data.examples.length > 0 && (
            <ul className={classes.examples} aria-label="Some of them">
              {data.examples.map((product) => (
                <li key={`${product.feedId}/${product.id}`}>
                  <ProductLine product={product} />
                </li>
              ))}
            </ul>
          )}
          {data.unknownIds.length > 0 && (
            <Alert
              color="orange"
              variant="light"
              mt="xs"
              title={`${formatCount(data.unknownIds.length)} ids are of no product that the account may promote`}
            >
              <Text size="sm" lineClamp={3}>
                {data.unknownIds.join(', ')}
              </Text>
              {onRemove && (
                <Group mt="xs">
                  <Button size="compact-sm" variant="default" onClick={() => onRemove(data.unknownIds)}>
                    Remove them
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
  const products = `${formatCount(matching)} ${matching === 1 ? 'product' : 'products'}`
  const out = matching - available
  return out === 0 ? products : `${products}, ${formatCount(out)} not in stock and so not shown now`
}
