import { Skeleton, Stack } from '@mantine/core'

/** Stands where a page will be while its code is on the way. */
export function PageSkeleton() {
  return (
    <Stack gap="md" aria-busy="true" aria-label="Loading">
      <Skeleton height={30} width={220} />
      <Skeleton height={320} />
    </Stack>
  )
}
