import { Button, Menu } from '@mantine/core'
import { IconFileExport, IconTable } from '@tabler/icons-react'
import { SALES_LIMIT_MAX } from '../../../../../schemas/http/panel/limits.ts'
import { answer, client } from '../../client/client.ts'
import { CsvButton } from '../../components/values/csv-button.tsx'
import { formatCount } from '../../components/values/numbers.ts'
import { t } from '../../messages/pages/visitors.ts'
import { addDays } from '../reports/controls/periods.ts'

/** In the order of docs/data.md. */
const views = ['v_impressions', 'v_clicks', 'v_events', 'v_orders', 'v_attributed_sales', 'v_campaign_days'] as const

interface Range {
  shopId: string
  /** Days of the shop; `to` is exclusive. */
  from: string
  to: string
}

/** The downloads of the period's data. @param query the query of the table. */
export function Downloads({ range, query }: { range: Range; query: Range & { groupBy: string } }) {
  const days = `${range.from}-${addDays(range.to, -1)}`
  const salesQuery = { ...range, format: 'csv', limit: SALES_LIMIT_MAX } as const
  return (
    <>
      <CsvButton
        name={`visitors-${days}.csv`}
        load={() =>
          answer(
            client.GET('/v1/panel/page-views', { params: { query: { ...query, format: 'csv' } }, parseAs: 'blob' }),
          )
        }
      >
        {t('downloadCsv')}
      </CsvButton>
      <CsvButton
        name={`attributed-sales-${days}.csv`}
        title={t('exportLimit', { lines: formatCount(SALES_LIMIT_MAX) })}
        load={() =>
          answer(client.GET('/v1/panel/attributed-sales', { params: { query: salesQuery }, parseAs: 'blob' }))
        }
        leftSection={<IconFileExport size={16} aria-hidden />}
      >
        {t('exportSales')}
      </CsvButton>
      <Menu position="bottom-end" withinPortal withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <Button variant="default" title={t('parquetHelp')} leftSection={<IconTable size={16} aria-hidden />}>
            {t('parquet')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {views.map((view) => (
            <Menu.Item key={view} component="a" download href={addressOf(`/v1/panel/exports/${view}`, range)}>
              {t(view)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </>
  )
}

const addressOf = (path: string, range: Range) => `${path}?${new URLSearchParams({ ...range })}`
