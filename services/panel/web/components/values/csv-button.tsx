import { Button, type ButtonProps } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconDownload } from '@tabler/icons-react'
import { useState } from 'react'
import { t } from '../../messages/components.ts'
import { saveCsv } from './save-file.ts'

export interface CsvButtonProps extends ButtonProps {
  /** The name of the file. */
  name: string
  /** Requests the CSV from the API, parsed as a Blob. @throws ApiProblem */
  load: () => Promise<unknown>
  title?: string
}

/** Saves a CSV of the API as a file for spreadsheets. */
export function CsvButton({ name, load, ...look }: CsvButtonProps) {
  const [isLoading, setLoading] = useState(false)
  const save = async () => {
    setLoading(true)
    try {
      saveCsv(name, (await load()) as Blob)
    } catch (problem) {
      notifications.show({ title: t('notDownloaded'), message: (problem as Error).message, color: 'red' })
    } finally {
      setLoading(false)
    }
  }
  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={16} aria-hidden />}
      loading={isLoading}
      onClick={() => void save()}
      {...look}
    />
  )
}
