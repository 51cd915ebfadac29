import { Button, type ButtonProps } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useDownload } from '../../data/use-download.ts'
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
  const { isLoading, download } = useDownload()
  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={16} aria-hidden />}
      loading={isLoading}
      onClick={() => void download(load, (file) => saveCsv(name, file))}
      {...look}
    />
  )
}
