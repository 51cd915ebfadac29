import { Alert, Anchor, Skeleton } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useRef } from 'react'
import { flushSync } from 'react-dom'
import { Link, useNavigate, useParams } from 'react-router'
import { answer, client } from '../../../client/client.ts'
import type { Campaign, Shop } from '../../../client/types.ts'
import { FormActions } from '../../../components/form/form-section.tsx'
import { ErrorState } from '../../../components/page/error-state.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { useChange } from '../../../data/changes/use-change.ts'
import { useEntity } from '../../../data/use-entity.ts'
import { t } from '../../../messages/pages/campaigns/editor.ts'
import { useShop } from '../../../session/shop-context.tsx'
import { useMayChange } from '../campaign-switch.tsx'
import type { SectionProps } from './campaign-form.ts'
import { ContentSections } from './content-sections.tsx'
import { KindSection } from './kind-section.tsx'
import { DatesSection, MoneySection } from './money-section.tsx'
import { SwitchSection } from './switch-section.tsx'
import { useCampaignFacts } from './use-campaign-facts.ts'
import { focusError, useProductCheck } from './use-product-check.ts'
import { patchBody } from './values/campaign-body.ts'
import { problemsOf, toFormErrors } from './values/campaign-problems.ts'
import { valuesOf } from './values/campaign-values.ts'

/** All sections of an existing campaign on one page. */
export default function CampaignEditPage() {
  const { id = '' } = useParams()
  const { data: campaign, problem, retry } = useEntity('/v1/panel/campaigns/{id}', { path: { id } })
  const mayChange = useMayChange()
  const { shops } = useShop()
  const shop = shops?.find((each) => each.id === campaign?.shopId)
  const breadcrumbs = [
    { label: t('campaigns'), to: '/campaigns' },
    ...(campaign ? [{ label: campaign.name, to: `/campaigns/${id}` }] : []),
  ]
  return (
    <>
      <PageHeader
        title={campaign ? t('editNamed', { name: campaign.name }) : t('editCampaign')}
        breadcrumbs={breadcrumbs}
      />
      {problem && !campaign ? (
        <ErrorState problem={problem} retry={retry} />
      ) : campaign && (!mayChange(campaign) || campaign.state === 'ARCHIVED') ? (
        <NoChange campaign={campaign} />
      ) : campaign && shop ? (
        <EditForm key={campaign.id} campaign={campaign} shop={shop} />
      ) : (
        <Skeleton height={600} />
      )}
    </>
  )
}

/** Says why a campaign cannot be changed. */
function NoChange({ campaign: { id, state, kind } }: { campaign: Campaign }) {
  const why = state === 'ARCHIVED' ? 'archivedHelp' : kind === 'DISPLAY' ? 'ofOthersDisplay' : 'ofOthersSponsored'
  return (
    <Alert color="blue" variant="light" title={t('cannotChange')}>
      {t(why)}{' '}
      <Anchor component={Link} to={`/campaigns/${id}`} c="inherit" underline="always" inherit>
        {t('toCampaign')}
      </Anchor>
    </Alert>
  )
}

function EditForm({ campaign, shop }: { campaign: Campaign; shop: Shop }) {
  const navigate = useNavigate()
  const { id } = campaign
  const page = `/campaigns/${id}`
  const form = useForm({ initialValues: valuesOf(campaign, shop.timeZone) })
  const { formats, account } = useCampaignFacts(form.values)
  const nothingToPromote = useProductCheck()
  const element = useRef<HTMLFormElement>(null)
  const giveUp = useRef<() => void>(null)
  const section: SectionProps = { form, shop, account, isNew: false }
  const change = useChange({
    form,
    path: '/v1/panel/campaigns/{id}',
    entity: campaign,
    valuesOf: (each) => valuesOf(each, shop.timeZone),
    send({ before, after, header }) {
      const body = patchBody(before, after, shop.timeZone)
      return answer(client.PATCH('/v1/panel/campaigns/{id}', { params: { path: { id }, header }, body }))
    },
    changes: ['/v1/panel/campaigns'],
    setErrors: (errors) => form.setErrors(toFormErrors(errors, form.getValues())),
    saved: t('saved'),
    onSaved() {
      void navigate(page)
    },
  })
  const save = async () => {
    const { reserveCpc, currency } = shop
    const values = form.getValues()
    const hasChanged = ['products', 'productsBy', 'status'].some((field) => form.isDirty(field))
    const problems = {
      ...problemsOf(values, { reserveCpc, currency, formats: formats ?? [], choosesAccount: false }),
      ...(hasChanged ? await nothingToPromote(values) : {}),
    }
    giveUp.current?.()
    // Render the errors before the first of them gets the focus.
    flushSync(() => form.setErrors(problems))
    if (Object.keys(problems).length === 0) void change.submit()
    else giveUp.current = focusError(element.current!)
  }

  return (
    <form
      ref={element}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      {campaign.kind === 'DISPLAY' && (
        <Alert color="blue" variant="light" mb="sm">
          {t('backToModeration')}
        </Alert>
      )}
      <KindSection {...section} />
      <ContentSections {...section} formats={formats} />
      <MoneySection {...section} />
      <DatesSection {...section} />
      <SwitchSection {...section} />
      <FormActions isSaving={change.isSaving} clashes={change} hasChanges={form.isDirty} cancelTo={page} />
    </form>
  )
}
