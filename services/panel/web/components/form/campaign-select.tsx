import { Select } from '@mantine/core'
import { useState } from 'react'
import { useEntity } from '../../data/use-entity.ts'
import { PAGE_SIZE_MAX, useList } from '../../data/use-list.ts'
import { t } from '../../messages/components.ts'

const SHOWN_MAX = 100

export interface CampaignSelectProps {
  /** Offers campaigns of this shop only. */
  shopId: string | undefined
  /** The id of the chosen campaign, which may be an archived one. */
  value: string | null
  onChange: (id: string | null) => void
}

/** A filter by campaign. The campaigns are read when it is first opened, because an account may have thousands. */
export function CampaignSelect({ shopId, value, onChange }: CampaignSelectProps) {
  const [wasOpened, setOpened] = useState(false)
  const { items = [] } = useList('/v1/panel/campaigns', {
    query: { shopId },
    pageSize: PAGE_SIZE_MAX,
    enabled: wasOpened,
  })
  const isListed = items.some(({ id }) => id === value)
  const { data: chosen } = useEntity('/v1/panel/campaigns/{id}', {
    path: { id: value ?? '' },
    enabled: value !== null && !isListed,
  })
  const others = value === null || isListed ? [] : [{ id: value, name: chosen?.name ?? value }]
  return (
    <Select
      label={t('campaign')}
      placeholder={t('anyCampaign')}
      w={{ base: '100%', xs: 220 }}
      clearable
      searchable
      limit={SHOWN_MAX}
      data={[...others, ...items].map(({ id, name }) => ({ value: id, label: name }))}
      value={value}
      onChange={onChange}
      onDropdownOpen={() => setOpened(true)}
    />
  )
}
