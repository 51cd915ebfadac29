import { Skeleton, Stack } from '@mantine/core'
import { useState } from 'react'
import { ErrorState } from '../../../components/page/error-state.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { useEntity } from '../../../data/use-entity.ts'
import { t } from '../../../messages/pages/shop/search.ts'
import { useShop } from '../../../session/shop-context.tsx'
import { NoShop } from '../shops/no-shop.tsx'
import type { BegunLine } from './add-line.tsx'
import { EmptySearches } from './empty-searches.tsx'
import { SynonymsEditor } from './synonyms-editor.tsx'

/** The settings of a shop's search: synonyms, and searches without results. */
export default function SearchPage() {
  const { shop, shops } = useShop()
  const id = shop?.id ?? ''
  const { data, problem, retry } = useEntity('/v1/panel/shops/{id}/synonyms', {
    path: { id },
    enabled: shop !== undefined,
  })
  const searches = useEntity('/v1/panel/shops/{id}/empty-searches', { path: { id }, enabled: shop !== undefined })
  const [begun, setBegun] = useState<BegunLine>({ words: '', finds: '' })
  return (
    <>
      <PageHeader title={t('search')} description={t('searchHelp')} />
      {shops && !shop && <NoShop />}
      {problem && !data && <ErrorState problem={problem} retry={retry} />}
      {!problem && !data && shop && <Skeleton height={480} />}
      {data && (
        <Stack gap="lg">
          <SynonymsEditor key={data.id} synonyms={data} searches={searches.data?.items} begun={begun} />
          <EmptySearches
            {...searches}
            timeZone={shop?.timeZone}
            onSynonym={(words, finds) => setBegun({ words, finds })}
          />
        </Stack>
      )}
    </>
  )
}
