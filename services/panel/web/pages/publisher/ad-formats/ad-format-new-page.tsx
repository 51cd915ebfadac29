import { Alert, Skeleton } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconLock } from '@tabler/icons-react'
import { useNavigate } from 'react-router'
import { answer, client } from '../../../client/client.ts'
import type { Shop } from '../../../client/types.ts'
import { FormActions } from '../../../components/form/form-section.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { PanelCard } from '../../../components/page/panel-card.tsx'
import { BannerPreview } from '../../../components/values/banner-preview.tsx'
import { useSave } from '../../../data/use-save.ts'
import { t } from '../../../messages/pages/shop/ad-formats.ts'
import { useShop } from '../../../session/shop-context.tsx'
import { NoShop } from '../shops/no-shop.tsx'
import classes from './ad-format-new-page.module.css'
import { FormatFields, type FormatValues } from './format-fields.tsx'
import { sampleTexts } from './samples.ts'

const INITIAL: FormatValues = {
  name: '',
  images: [{ name: '', width: 300, height: 250 }],
  textFields: [{ type: 'TITLE', required: true, maxLength: 60 }],
}

/** A new ad format, with a preview of what its banners look like. */
export default function AdFormatNewPage() {
  const { shop, shops } = useShop()
  return (
    <>
      <PageHeader
        title={t('newFormat')}
        description={shop && t('forShop', { shop: shop.name })}
        breadcrumbs={[{ label: t('adFormats'), to: '/ad-formats' }]}
      />
      {shop && <NewFormat key={shop.id} shop={shop} />}
      {!shop && (shops ? <NoShop /> : <Skeleton height={560} />)}
    </>
  )
}

function NewFormat({ shop }: { shop: Shop }) {
  const navigate = useNavigate()
  const form = useForm<FormatValues>({
    initialValues: INITIAL,
    validate: { name: (name) => (name.trim() === '' ? t('required') : null) },
  })
  const { submit, isSaving } = useSave({
    save: ({ name, images, textFields }: FormatValues) => {
      const named = images.map(({ name: own, ...size }) => (own.trim() ? { name: own.trim(), ...size } : size))
      return answer(client.POST('/v1/panel/ad-formats', { body: { shopId: shop.id, name, images: named, textFields } }))
    },
    changes: ['/v1/panel/ad-formats'],
    form,
    saved: t('created'),
    onSaved: () => navigate('/ad-formats'),
  })
  const { name, images, textFields } = form.values
  const drawn = images.filter(({ width, height }) => width > 0 && height > 0)
  return (
    <div className={classes.columns}>
      <form onSubmit={form.onSubmit((values) => void submit(values))}>
        <Alert variant="light" color="gray" icon={<IconLock />} title={t('neverChanges')}>
          {t('neverChangesHelp')}
        </Alert>
        <FormatFields form={form} />
        <FormActions label={t('create')} isSaving={isSaving} hasChanges={form.isDirty} cancelTo="/ad-formats" />
      </form>
      <div className={classes.preview}>
        <PanelCard title={t('preview')} description={t('previewHelp')}>
          <BannerPreview
            format={{ name: name || t('unnamed'), images: drawn, textFields }}
            texts={sampleTexts(textFields)}
          />
        </PanelCard>
      </div>
    </div>
  )
}
