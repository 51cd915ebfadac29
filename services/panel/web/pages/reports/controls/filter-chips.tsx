import { CloseButton, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { ProductTitle } from '../../../components/values/product-title.tsx'
import { useEntity } from '../../../data/use-entity.ts'
import { t } from '../../../messages/pages/reports.ts'
import { uncapitalised } from '../../../messages/uncapitalised.ts'
import type { ReportState } from '../report-state.ts'
import { useReportShop } from '../use-report.ts'
import type { ChangeReport } from '../use-report-state.ts'
import { algorithmLabel, filterNames, filters, type ReportFilter, wordFor } from '../vocabulary.ts'
import classes from './filter-chips.module.css'

/** The filters of the report, each with a button that removes it. */
export function FilterChips({ state, change }: { state: ReportState; change: ChangeReport }) {
  const shopId = useReportShop(state)?.id
  const given = filterNames.filter((name) => state.filters[name] !== undefined)
  if (given.length === 0) return null
  return (
    <Group component="ul" gap="xs" className={classes.chips} aria-label={t('filters')}>
      {given.map((name) => {
        const { [name]: _, ...others } = state.filters
        return (
          <Chip
            key={name}
            filter={name}
            value={state.filters[name]!}
            shopId={shopId}
            onRemove={() => change({ filters: others })}
          />
        )
      })}
    </Group>
  )
}

interface ChipProps {
  filter: ReportFilter
  value: string
  shopId: string | undefined
  onRemove: () => void
}

function Chip({ filter, value, shopId, onRemove }: ChipProps) {
  const dimension = wordFor(filters[filter])
  return (
    <li className={classes.chip}>
      <Text component="span" size="sm" c="dimmed">
        {dimension}
      </Text>
      <Text component="span" size="sm" fw={500} truncate>
        {nameOf(filter, value, shopId)}
      </Text>
      <CloseButton
        size="sm"
        onClick={onRemove}
        aria-label={t('removeFilter', { dimension: uncapitalised(dimension) })}
      />
    </li>
  )
}

function nameOf(filter: ReportFilter, id: string, shopId: string | undefined): ReactNode {
  switch (filter) {
    case 'campaignId':
      return <EntityName path="/v1/panel/campaigns/{id}" id={id} />
    case 'accountId':
      return <EntityName path="/v1/panel/accounts/{id}" id={id} />
    case 'adUnitId':
      return <EntityName path="/v1/panel/ad-units/{id}" id={id} />
    case 'placementId':
      return <EntityName path="/v1/panel/placements/{id}" id={id} />
    case 'productId':
      return shopId === undefined ? id : <ProductTitle shopId={shopId} id={id} otherwise={id} />
    case 'algorithm':
      return algorithmLabel(id)
    default:
      return id
  }
}

type NamedPath = `/v1/panel/${'campaigns' | 'accounts' | 'ad-units' | 'placements'}/{id}`

/** A deleted entity has no name, so its id is shown. */
function EntityName({ path, id }: { path: NamedPath; id: string }) {
  const { data } = useEntity(path, { path: { id } })
  return <>{data?.name ?? id}</>
}
