import { Button, Group, Select, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import type { Role, Shop } from '../../client/types.ts'
import { PAGE_SIZE_MAX, useList } from '../../data/use-list.ts'
import { t } from '../../messages/pages/ad-requests.ts'

const ID_CHARS_MAX = 256
/** The list is refetched once the user has not typed for this long. */
const PAUSE_MS = 400
const NAMES = ['adUnitId', 'person', 'productId', 'kind', 'withAds'] as const
type Name = (typeof NAMES)[number]

interface RequestFiltersProps {
  role: Role
  shop: Shop | undefined
  isFiltered: boolean
}

/** The filters of the list of ad requests, stored in the address. Advertisers cannot filter by person or ad unit. */
export function RequestFilters({ role, shop, isFiltered }: RequestFiltersProps) {
  const [search, setSearch] = useSearchParams()
  const [cleared, setCleared] = useState(0)
  const isAdvertiser = role === 'ADVERTISER'
  const units = useList('/v1/panel/ad-units', {
    query: { shopId: shop?.id },
    pageSize: PAGE_SIZE_MAX,
    enabled: !isAdvertiser && shop !== undefined,
  })
  const set = (name: Name, value: string | null) =>
    setSearch(
      (before) => {
        if (value) before.set(name, value)
        else before.delete(name)
        return before
      },
      { replace: true },
    )
  const choice = (name: Name, label: string, all: string, data: { value: string; label: string }[]) => (
    <Select
      label={label}
      placeholder={all}
      data={data}
      clearable
      searchable={data.length > 8}
      w={{ base: '100%', xs: 190 }}
      value={search.get(name)}
      onChange={(value) => set(name, value)}
    />
  )
  const typed = (name: Name, label: string, help: string) => (
    <Typed
      key={`${name}${cleared}`}
      label={label}
      help={help}
      value={search.get(name) ?? ''}
      onType={(text) => set(name, text)}
    />
  )
  return (
    <Group gap="sm" align="start" role="search">
      {!isAdvertiser &&
        choice(
          'adUnitId',
          t('adUnit'),
          t('anyAdUnit'),
          (units.items ?? []).map(({ id, name }) => ({ value: id, label: name })),
        )}
      {!isAdvertiser && typed('person', t('person'), t('personHelp'))}
      {typed('productId', t('product'), t('productHelp'))}
      {choice('kind', t('kind'), t('anyKind'), [
        { value: 'SPONSORED', label: t('SPONSORED') },
        { value: 'DISPLAY', label: t('DISPLAY') },
      ])}
      {choice('withAds', t('ads'), t('withOrWithout'), [
        { value: 'true', label: t('withAds') },
        { value: 'false', label: t('withoutAds') },
      ])}
      {isFiltered && (
        <Button
          variant="default"
          mt={{ base: 0, xs: 25 }}
          onClick={() => {
            setSearch({}, { replace: true })
            setCleared(cleared + 1)
          }}
        >
          {t('clearFilters')}
        </Button>
      )}
    </Group>
  )
}

interface TypedProps {
  label: string
  help: string
  value: string
  onType: (text: string) => void
}

function Typed({ label, help, value, onType }: TypedProps) {
  const [text, setText] = useState(value)
  const tell = useDebouncedCallback(onType, PAUSE_MS)
  return (
    <TextInput
      label={label}
      description={help}
      inputWrapperOrder={['label', 'input', 'description']}
      w={{ base: '100%', xs: 190 }}
      maxLength={ID_CHARS_MAX}
      spellCheck={false}
      autoComplete="off"
      value={text}
      onChange={({ currentTarget: { value: now } }) => {
        setText(now)
        tell(now.trim())
      }}
    />
  )
}
