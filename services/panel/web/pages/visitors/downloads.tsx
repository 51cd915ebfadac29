import { Button, Menu } from '@mantine/core'
import { IconDownload, IconFileExport, IconTable } from '@tabler/icons-react'
import { formatCount } from '../../components/values/numbers.ts'
import { t } from '../../messages/pages/visitors.ts'

const SALES_LINES_MAX = 10_000
/** In the order of docs/data.md. */
const views = ['v_impressions', 'v_clicks', 'v_events', 'v_orders', 'v_attributed_sales', 'v_campaign_days'] as const

interface Range {
  shopId: string
  /** Days of the shop; `to` is exclusive. */
  from: string
  to: string
}

/** The downloads of the period's data. @param query the query of the table. */
export function Downloads({ range, query }: { range: Range; query: Record<string, string> }) {
  const link = { component: 'a', download: true } as const
  return (
    <>
      <Button
        {...link}
        variant="default"
        href={addressOf('/v1/panel/page-views', { ...query, format: 'csv' })}
        leftSection={<IconDownload size={16} aria-hidden />}
      >
        {t('downloadCsv')}
      </Button>
      <Button
        {...link}
        variant="default"
        title={t('exportLimit', { lines: formatCount(SALES_LINES_MAX) })}
        href={addressOf('/v1/panel/attributed-sales', { ...range, format: 'csv', limit: String(SALES_LINES_MAX) })}
        leftSection={<IconFileExport size={16} aria-hidden />}
      >
        {t('exportSales')}
      </Button>
      <Menu position="bottom-end" withinPortal withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <Button variant="default" title={t('parquetHelp')} leftSection={<IconTable size={16} aria-hidden />}>
            {t('parquet')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {views.map((view) => (
            <Menu.Item key={view} {...link} href={addressOf(`/v1/panel/exports/${view}`, { ...range })}>
              {t(view)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </>
  )
}

const addressOf = (path: string, asked: Record<string, string>) => `${path}?${new URLSearchParams(asked)}`
