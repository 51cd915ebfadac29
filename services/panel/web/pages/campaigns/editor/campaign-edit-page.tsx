import { Alert, Skeleton } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useNavigate, useParams } from 'react-router'
import { answer, client } from '../../../client/client.ts'
import type { Campaign, Shop } from '../../../client/types.ts'
import { FormActions } from '../../../components/form/form-section.tsx'
import { ErrorState } from '../../../components/page/error-state.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { useEntity } from '../../../data/use-entity.ts'
import { useSave } from '../../../data/use-save.ts'
import { useShop } from '../../../session/shop-context.tsx'
import type { SectionProps } from './campaign-form.ts'
import { ContentSections } from './content-sections.tsx'
import { KindSection } from './kind-section.tsx'
import { DatesSection, MoneySection } from './money-section.tsx'
import { SwitchSection } from './switch-section.tsx'
import { useCampaignFacts } from './use-campaign-facts.ts'
import { patchBody } from './values/campaign-body.ts'
import { problemsOf, toFormErrors } from './values/campaign-problems.ts'
import { valuesOf } from './values/campaign-values.ts'

/** All sections of an existing campaign on one page. */
export default function CampaignEditPage() {
  const { id = '' } = useParams()
  const { data: campaign, problem, retry } = useEntity('/v1/panel/campaigns/{id}', { path: { id } })
  const { shops } = useShop()
  const shop = shops?.find((each) => each.id === campaign?.shopId)
  const breadcrumbs = [
    { label: 'Campaigns', to: '/campaigns' },
    ...(campaign ? [{ label: campaign.name, to: `/campaigns/${id}` }] : []),
  ]
  return (
    <>
      <PageHeader title={campaign ? `Edit ${campaign.name}` : 'Edit campaign'} breadcrumbs={breadcrumbs} />
      {problem && !campaign ? (
        <ErrorState problem={problem} retry={retry} />
      ) : campaign && shop ? (
        <EditForm key={campaign.id} campaign={campaign} shop={shop} />
      ) : (
        <Skeleton height={600} />
      )}
    </>
  )
}

function EditForm({ campaign, shop }: { campaign: Campaign; shop: Shop }) {
  const navigate = useNavigate()
  const { id } = campaign
  const form = useForm({ initialValues: valuesOf(campaign, shop.timeZone) })
  const { formats, account } = useCampaignFacts(form.values)
  const section: SectionProps = { form, shop, account, isNew: false }
  const { submit, isSaving } = useSave({
    save() {
      const body = patchBody(form.getInitialValues(), form.getValues(), shop.timeZone)
      return answer(client.PATCH('/v1/panel/campaigns/{id}', { params: { path: { id } }, body }))
    },
    changes: ['/v1/panel/campaigns'],
    form: { ...form, setErrors: (errors) => form.setErrors(toFormErrors(errors, form.getValues())) },
    saved: 'Campaign saved',
    onSaved() {
      void navigate(`/campaigns/${id}`)
    },
  })

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        const problems = problemsOf(form.getValues(), { reserveCpc: shop.reserveCpc, formats: formats ?? [] })
        form.setErrors(problems)
        const [first] = Object.keys(problems)
        if (first === undefined) void submit(undefined)
        else form.getInputNode(first)?.focus()
      }}
    >
      {campaign.kind === 'DISPLAY' && (
        <Alert color="blue" variant="light" mb="sm">
          Other banners, or another address that they lead to, go back to moderation: they are not shown until the
          publisher accepts them.
        </Alert>
      )}
      <KindSection {...section} />
      <ContentSections {...section} formats={formats} />
      <MoneySection {...section} />
      <DatesSection {...section} />
      <SwitchSection {...section} />
      <FormActions isSaving={isSaving} hasChanges={form.isDirty} cancelTo={`/campaigns/${id}`} />
    </form>
  )
}
