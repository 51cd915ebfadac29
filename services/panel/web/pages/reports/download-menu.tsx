import { Button, Menu } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconChevronDown, IconDownload } from '@tabler/icons-react'
import { useState } from 'react'
import { answer, client } from '../../client/client.ts'
import { saveCsv, saveFile } from '../../components/values/save-file.ts'
import { t } from '../../messages/pages/reports.ts'
import type { Days } from './controls/periods.ts'
import type { ReportState } from './report-state.ts'
import { queryOf } from './use-report.ts'

const formats = ['csv', 'parquet'] as const
const labels = { csv: t('asCsv'), parquet: t('asParquet') }

/** Downloads the whole report, including rows that the page does not show. */
export function DownloadMenu({ state, days }: { state: ReportState; days: Days }) {
  const [isLoading, setLoading] = useState(false)
  const download = async (format: (typeof formats)[number]) => {
    setLoading(true)
    try {
      const query = { ...queryOf(state, days), format, disclosure: true }
      const file = await answer(client.GET('/v1/panel/reports', { params: { query }, parseAs: 'blob' }))
      const name = `report-${days.from}-${days.until}-${state.groupBy.join('-')}.${format}`
      const save = { csv: saveCsv, parquet: saveFile }[format]
      save(name, file as unknown as Blob)
    } catch (problem) {
      notifications.show({ title: t('notDownloaded'), message: (problem as Error).message, color: 'red' })
    } finally {
      setLoading(false)
    }
  }
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          variant="default"
          loading={isLoading}
          leftSection={<IconDownload size={16} aria-hidden />}
          rightSection={<IconChevronDown size={14} aria-hidden />}
        >
          {t('download')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {formats.map((format) => (
          <Menu.Item key={format} onClick={() => void download(format)}>
            {labels[format]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
