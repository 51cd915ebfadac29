import { Button, Menu } from '@mantine/core'
import { IconChevronDown, IconDownload } from '@tabler/icons-react'
import { answer, client } from '../../client/client.ts'
import { saveCsv, saveFile } from '../../components/values/save-file.ts'
import { useDownload } from '../../data/use-download.ts'
import { t } from '../../messages/pages/reports.ts'
import type { Days } from './controls/periods.ts'
import type { ReportState } from './report-state.ts'
import { queryOf } from './use-report.ts'

const formats = ['csv', 'parquet'] as const
const saves = { csv: saveCsv, parquet: saveFile }
const labels = { csv: t('asCsv'), parquet: t('asParquet') }

/** Downloads the whole report, including rows that the page does not show. */
export function DownloadMenu({ state, days }: { state: ReportState; days: Days }) {
  const { isLoading, download } = useDownload()
  const load = (format: (typeof formats)[number]) => {
    const query = { ...queryOf(state, days), format, disclosure: true }
    return answer(client.GET('/v1/panel/reports', { params: { query }, parseAs: 'blob' }))
  }
  const nameOf = (format: string) => `report-${days.from}-${days.until}-${state.groupBy.join('-')}.${format}`
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
          <Menu.Item
            key={format}
            onClick={() =>
              void download(
                () => load(format),
                (file) => saves[format](nameOf(format), file),
              )
            }
          >
            {labels[format]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
