import { DataList, Skeleton } from '@mantine/core'
import type { ReactNode } from 'react'

export interface DetailListProps {
  /** Values by label. A missing value is shown as a dash. */
  details: Readonly<Record<string, ReactNode>>
  /** The values are still loading. */
  isLoading?: boolean
}

/** The properties of one thing. */
export function DetailList({ details, isLoading = false }: DetailListProps) {
  return (
    <DataList gap="xs" labelWidth="150px">
      {Object.entries(details).map(([label, value]) => (
        <DataList.Item key={label}>
          <DataList.ItemLabel>{label}</DataList.ItemLabel>
          <DataList.ItemValue style={{ overflowWrap: 'anywhere' }}>
            {isLoading ? <Skeleton height={14} my={4} width={160} /> : value || '–'}
          </DataList.ItemValue>
        </DataList.Item>
      ))}
    </DataList>
  )
}
