import { ActionIcon, Button, Group, Text } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useState } from 'react'
import { formatCount } from '../../../components/values/numbers.ts'
import { t } from '../../../messages/pages/campaigns/editor.ts'
import classes from './product-line.module.css'
import { ProductLine } from './product-line.tsx'
import { useProducts } from './use-products.ts'

const SHOWN = 8

export interface ChosenProductsProps {
  shopId: string
  ids: readonly string[]
  onChange: (ids: string[]) => void
}

/** The chosen products, with a button to remove each. */
export function ChosenProducts({ shopId, ids, onChange }: ChosenProductsProps) {
  const [shown, setShown] = useState(SHOWN)
  const page = ids.slice(0, shown)
  const products = useProducts(shopId, page)
  if (ids.length === 0) return null
  return (
    <div>
      <Group justify="space-between" mb={6}>
        <Text size="sm" fw={500}>
          {t('chosen', { count: formatCount(ids.length) })}
        </Text>
        <Button variant="subtle" color="gray" size="compact-xs" onClick={() => onChange([])}>
          {t('removeAll')}
        </Button>
      </Group>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll it */}
      <ul className={classes.list} aria-label={t('chosenProducts')} tabIndex={0}>
        {page.map((id) => (
          <li key={id}>
            <Group gap="xs" wrap="nowrap" justify="space-between">
              <ProductOrId id={id} product={products.get(id)} />
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={t('removeOne', { name: products.get(id)?.title ?? id })}
                onClick={() => onChange(ids.filter((each) => each !== id))}
              >
                <IconX size={16} aria-hidden />
              </ActionIcon>
            </Group>
          </li>
        ))}
      </ul>
      {ids.length > shown && (
        <Button variant="subtle" size="compact-sm" mt={4} onClick={() => setShown(shown + 4 * SHOWN)}>
          {t('showMore')}
        </Button>
      )}
    </div>
  )
}

function ProductOrId({
  id,
  product,
}: {
  id: string
  product: Parameters<typeof ProductLine>[0]['product'] | null | undefined
}) {
  if (product) return <ProductLine product={product} />
  return (
    <Text size="sm" py={8}>
      {id}
      {product === null && (
        <Text span size="xs" c="dimmed">
          {' · '}
          {t('noSuchProduct')}
        </Text>
      )}
    </Text>
  )
}
