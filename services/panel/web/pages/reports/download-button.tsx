import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconDownload } from '@tabler/icons-react'
import { useState } from 'react'
import { answer, client } from '../../client/client.ts'
import { t } from '../../messages/pages/reports.ts'
import type { Days } from './controls/periods.ts'
import type { ReportState } from './report-state.ts'
import { queryOf } from './use-report.ts'

/** Downloads the whole report as CSV, including rows that the page does not show. */
export function DownloadButton({ state, days }: { state: ReportState; days: Days }) {
  const [isLoading, setLoading] = useState(false)
  const download = async () => {
    setLoading(true)
    try {
      const query = { ...queryOf(state, days), format: 'csv' as const, disclosure: true }
      const csv = await answer(client.GET('/v1/panel/reports', { params: { query }, parseAs: 'blob' }))
      save(csv as unknown as Blob, `report-${days.from}-${days.until}-${state.groupBy.join('-')}.csv`)
    } catch (problem) {
      notifications.show({ title: t('notDownloaded'), message: (problem as Error).message, color: 'red' })
    } finally {
      setLoading(false)
    }
  }
  return (
    <Button
      variant="default"
      loading={isLoading}
      leftSection={<IconDownload size={16} aria-hidden />}
      onClick={() => void download()}
    >
      {t('downloadCsv')}
    </Button>
  )
}

function save(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
