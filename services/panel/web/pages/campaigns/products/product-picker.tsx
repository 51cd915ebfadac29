import { Checkbox, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useState } from 'react'
import { ErrorState } from '../../../components/page/error-state.tsx'
import { useList } from '../../../data/use-list.ts'
import { useSearchText } from '../../../data/use-search-text.ts'
import { t } from '../../../messages/pages/campaigns/editor.ts'
import classes from './product-line.module.css'
import { ProductLine } from './product-line.tsx'

const RESULTS = 30

export interface ProductPickerProps {
  shopId: string
  /** Feed ids. */
  chosen: readonly string[]
  onChange: (chosen: string[]) => void
}

/** Searches the products of a shop and lets the user tick them. */
export function ProductPicker({ shopId, chosen, onChange }: ProductPickerProps) {
  const [typed, setTyped] = useState('')
  const q = useSearchText(typed)
  const { items, problem, retry, isStale, next } = useList('/v1/panel/products', {
    query: { shopId, ...(q ? { q } : {}) },
    pageSize: RESULTS,
    enabled: shopId !== '',
  })
  const ticked = new Set(chosen)
  const toggle = (id: string) => onChange(ticked.has(id) ? chosen.filter((each) => each !== id) : [...chosen, id])

  return (
    <Stack gap="xs">
      <TextInput
        label={t('searchProducts')}
        description={t('searchProductsHelp')}
        type="search"
        leftSection={<IconSearch size={16} aria-hidden />}
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
      />
      {problem && !items ? (
        <ErrorState problem={problem} retry={retry} />
      ) : (
        <ul
          className={`${classes.list} ${classes.results}`}
          aria-label={t('productsFound')}
          aria-busy={!items || isStale}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll it
          tabIndex={0}
        >
          {items?.map((product) => (
            <li key={`${product.feedId}/${product.id}`}>
              <Checkbox
                className={classes.choice}
                checked={ticked.has(product.id)}
                onChange={() => toggle(product.id)}
                label={<ProductLine product={product} note={product.isAvailable ? undefined : t('outOfStock')} />}
              />
            </li>
          )) ??
            Array.from({ length: 6 }, (_, row) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows without anything of their own
              <li key={row}>
                <Skeleton height={36} />
              </li>
            ))}
          {items?.length === 0 && (
            <li>
              <Text size="sm" c="dimmed">
                {q ? t('noProductHas', { query: q }) : t('noProducts')}
              </Text>
            </li>
          )}
        </ul>
      )}
      {next && (
        <Text size="xs" c="dimmed">
          {t('firstShown', { count: RESULTS })}
        </Text>
      )}
    </Stack>
  )
}
