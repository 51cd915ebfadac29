import { Select } from '@mantine/core'
import { useState } from 'react'
import { useEntity } from '../../data/use-entity.ts'
import { useList } from '../../data/use-list.ts'
import { useSearchText } from '../../data/use-search-text.ts'

const RESULTS = 30

export interface ProductSelectProps {
  label: string
  placeholder: string
  /** Offers products of this shop. */
  shopId: string
  /** The feed id of the chosen product, which may be in no feed any more. */
  value: string | null
  onChange: (id: string | null) => void
}

/** A filter by product, which the server searches by title or id. */
export function ProductSelect({ label, placeholder, shopId, value, onChange }: ProductSelectProps) {
  const [wasOpened, setOpened] = useState(false)
  const [typed, setTyped] = useState('')
  const { data: chosen } = useEntity('/v1/panel/products/{id}', {
    path: { id: value ?? '' },
    query: { shopId },
    enabled: value !== null,
  })
  const chosenTitle = chosen?.title ?? value
  // The field holds the title of the chosen product until another one is typed.
  const q = useSearchText(typed === chosenTitle ? '' : typed)
  const { items = [] } = useList('/v1/panel/products', {
    query: { shopId, ...(q && { q }) },
    pageSize: RESULTS,
    enabled: wasOpened,
  })
  // Several feeds may have a product.
  const titles = new Map([
    ...items.map(({ id, title }) => [id, title] as const),
    ...(value ? [[value, chosenTitle!] as const] : []),
  ])
  return (
    <Select
      label={label}
      placeholder={placeholder}
      w={{ base: '100%', xs: 220 }}
      clearable
      searchable
      filter={({ options }) => options}
      data={[...titles].map(([id, title]) => ({ value: id, label: title }))}
      value={value}
      onChange={onChange}
      onSearchChange={setTyped}
      onDropdownOpen={() => setOpened(true)}
    />
  )
}
