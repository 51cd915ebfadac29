import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { t } from '../messages/components.ts'

export interface Download {
  isLoading: boolean
  /**
   * Requests a file and saves it. A failure is told on the page.
   * @param load requests the file from the API, parsed as a Blob. @throws ApiProblem
   */
  download(load: () => Promise<unknown>, save: (file: Blob) => void): Promise<void>
}

/** The download of one file at a time. */
export function useDownload(): Download {
  const [isLoading, setLoading] = useState(false)
  return {
    isLoading,
    async download(load, save) {
      setLoading(true)
      try {
        save((await load()) as Blob)
      } catch (problem) {
        notifications.show({ title: t('notDownloaded'), message: (problem as Error).message, color: 'red' })
      } finally {
        setLoading(false)
      }
    },
  }
}
