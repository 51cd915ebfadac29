import { Text } from '@mantine/core'
import type { Product } from '../../../client/types.ts'
import { Money } from '../../../components/values/money.tsx'
import { ProductPicture } from '../../../components/values/product-picture.tsx'
import classes from './product-line.module.css'

export type ShownProduct = Pick<Product, 'id' | 'title' | 'imageLink' | 'price' | 'salePrice' | 'currency'>

/** A product on one line: picture, title, id and price. */
export function ProductLine({ product, note }: { product: ShownProduct; note?: string | undefined }) {
  const { id, title, imageLink, price, salePrice, currency } = product
  return (
    <span className={classes.line}>
      <ProductPicture src={imageLink} size={36} />
      <span className={classes.texts}>
        <Text size="sm" component="span" display="block" lineClamp={1}>
          {title}
        </Text>
        <Text size="xs" c="dimmed" component="span" display="block" truncate>
          {id} · <Money amount={salePrice ?? price} currency={currency} />
          {note && ` · ${note}`}
        </Text>
      </span>
    </span>
  )
}
