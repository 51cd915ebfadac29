import { Button, EmptyState, SimpleGrid, Skeleton, Text } from '@mantine/core'
import { IconPlus, IconTemplate } from '@tabler/icons-react'
import { Link } from 'react-router'
import { answer, client } from '../../../client/client.ts'
import type { AdFormat } from '../../../client/types.ts'
import { ConfirmButton } from '../../../components/form/confirm-button.tsx'
import { ErrorState } from '../../../components/page/error-state.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { PanelCard } from '../../../components/page/panel-card.tsx'
import { BannerPreview, labelOf } from '../../../components/values/banner-preview.tsx'
import { PAGE_SIZE_MAX, useList } from '../../../data/use-list.ts'
import { useSave } from '../../../data/use-save.ts'
import { t } from '../../../messages/pages/shop/ad-formats.ts'
import { useShop } from '../../../session/shop-context.tsx'
import { NoShop } from '../shops/no-shop.tsx'
import { sampleTexts } from './samples.ts'

/** The ad formats of a shop, which say what a banner consists of. */
export default function AdFormatsPage() {
  const { shop, shops } = useShop()
  const { items, problem, retry } = useList('/v1/panel/ad-formats', {
    query: { shopId: shop?.id },
    pageSize: PAGE_SIZE_MAX,
    enabled: shop !== undefined,
  })
  const create = (
    <Button component={Link} to="/ad-formats/new" leftSection={<IconPlus size={16} aria-hidden />}>
      {t('newFormat')}
    </Button>
  )
  return (
    <>
      <PageHeader title={t('adFormats')} description={t('about')} actions={shop && create} />
      {shops && !shop && <NoShop />}
      {problem && !items && <ErrorState problem={problem} retry={retry} />}
      {!problem && !items && !(shops && !shop) && (
        <Skeleton height={420} role="status" aria-busy aria-label={t('loading')} />
      )}
      {items?.length === 0 && (
        <EmptyState py="xl" icon={<IconTemplate />} title={t('none')} description={t('noneHelp')}>
          <EmptyState.Actions>{create}</EmptyState.Actions>
        </EmptyState>
      )}
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
        {items
          ?.toSorted((a, b) => a.name.localeCompare(b.name))
          .map((format) => (
            <FormatCard key={format.id} format={format} />
          ))}
      </SimpleGrid>
    </>
  )
}

function FormatCard({ format }: { format: AdFormat }) {
  const { id, name, textFields } = format
  const { submit } = useSave({
    save: () => answer(client.DELETE('/v1/panel/ad-formats/{id}', { params: { path: { id } } })),
    changes: ['/v1/panel/ad-formats'],
    saved: t('deleted'),
  })
  return (
    <PanelCard
      title={name}
      actions={
        <ConfirmButton
          variant="subtle"
          color="red"
          size="xs"
          aria-label={t('deleteNamed', { name })}
          title={t('deleteQuestion', { name })}
          message={t('deleteHelp')}
          confirm={t('deleteFormat')}
          onConfirm={() => submit(undefined)}
        >
          {t('delete')}
        </ConfirmButton>
      }
    >
      <BannerPreview format={format} texts={sampleTexts(textFields)} />
      {textFields.length > 0 && (
        <Text size="xs" c="dimmed" mt="sm">
          {textFields.map(aboutText).join(' · ')}
        </Text>
      )}
    </PanelCard>
  )
}

function aboutText({ type, required, maxLength }: AdFormat['textFields'][number]): string {
  const text = labelOf(type)
  if (type.endsWith('_COLOR')) return required ? t('requiredColor', { text }) : text
  return required ? t('requiredTextUpTo', { text, max: maxLength }) : t('textUpTo', { text, max: maxLength })
}
