import { Skeleton, Stack } from '@mantine/core'
import { useNavigate, useParams } from 'react-router'
import { answer, client, ifMatch } from '../../../client/client.ts'
import type { Shop } from '../../../client/types.ts'
import { DeleteButton } from '../../../components/form/delete-button.tsx'
import { ErrorState } from '../../../components/page/error-state.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { CopyField } from '../../../components/values/copy-field.tsx'
import { useChange } from '../../../data/changes/use-change.ts'
import { useEntity } from '../../../data/use-entity.ts'
import { useSave } from '../../../data/use-save.ts'
import { t } from '../../../messages/pages/shops.ts'
import { Erasures } from './erasures.tsx'
import { ShopForm, useShopForm, valuesOf } from './shop-form.tsx'
import { SigningKeys } from './signing-keys.tsx'

/** The settings of one shop. */
export default function ShopPage() {
  const { id = '' } = useParams()
  const { data: shop, problem, retry } = useEntity('/v1/panel/shops/{id}', { path: { id } })
  return (
    <>
      <PageHeader
        title={shop?.name ?? t('shop')}
        breadcrumbs={[{ label: t('shops'), to: '/shops' }]}
        actions={<CopyField value={id} label={t('shopId')} />}
      />
      {problem && !shop && <ErrorState problem={problem} retry={retry} />}
      {!problem && !shop && <Skeleton height={640} />}
      {shop && (
        <Stack gap="lg">
          <ShopSettings key={shop.id} shop={shop} />
          <SigningKeys shopId={shop.id} />
          <Erasures shopId={shop.id} />
        </Stack>
      )}
    </>
  )
}

function ShopSettings({ shop }: { shop: Shop }) {
  const navigate = useNavigate()
  const { id, name, version } = shop
  const form = useShopForm(shop)
  const params = { path: { id } }
  const change = useChange({
    form,
    path: '/v1/panel/shops/{id}',
    entity: shop,
    valuesOf,
    send: ({ changed, header }) =>
      answer(client.PATCH('/v1/panel/shops/{id}', { params: { ...params, header }, body: changed })),
    changes: ['/v1/panel/shops'],
    saved: t('saved'),
  })
  const removal = useSave({
    save: () => answer(client.DELETE('/v1/panel/shops/{id}', { params: { ...params, header: ifMatch(version) } })),
    changes: ['/v1/panel/shops'],
    form,
    saved: t('deleted'),
    onSaved: () => navigate('/shops'),
  })
  return (
    <ShopForm
      form={form}
      isNew={false}
      isSaving={change.isSaving}
      clashes={change}
      onSubmit={() => void change.submit()}
    >
      <DeleteButton
        what={t('deleteWhat')}
        name={name}
        message={t('deleteHelp')}
        onConfirm={() => removal.submit(undefined)}
        path="/v1/panel/shops/{id}/deletion"
        id={id}
        shopId={id}
      />
    </ShopForm>
  )
}
