import { Button, Group, Skeleton, Stepper } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { answer, client } from '../../../client/client.ts'
import { UnsavedGuard } from '../../../components/form/unsaved-guard.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { useSave } from '../../../data/use-save.ts'
import { useShop } from '../../../session/shop-context.tsx'
import type { SectionProps } from './campaign-form.ts'
import { ContentSections } from './content-sections.tsx'
import { KindSection } from './kind-section.tsx'
import { DatesSection, MoneySection } from './money-section.tsx'
import { Review } from './review.tsx'
import { SwitchSection } from './switch-section.tsx'
import { useCampaignFacts } from './use-campaign-facts.ts'
import { createBody } from './values/campaign-body.ts'
import { problemsOf, STEPS, stepOf, toFormErrors } from './values/campaign-problems.ts'
import { EMPTY_CAMPAIGN } from './values/campaign-values.ts'

const REVIEW = STEPS.indexOf('review')

/** A new campaign, step by step. */
export default function CampaignNewPage() {
  const { shops, shop } = useShop()
  return (
    <>
      <PageHeader title="New campaign" breadcrumbs={[{ label: 'Campaigns', to: '/campaigns' }]} />
      {shops ? <Steps shopId={shop?.id ?? ''} /> : <Skeleton height={420} />}
    </>
  )
}

function Steps({ shopId }: { shopId: string }) {
  const navigate = useNavigate()
  const [step, setStep] = useState(0)
  const form = useForm({ initialValues: { ...EMPTY_CAMPAIGN, shopId } })
  const { formats, ...facts } = useCampaignFacts(form.values)
  const section: SectionProps = { form, ...facts, isNew: true }
  const timeZone = facts.shop?.timeZone ?? 'UTC'

  /** Shows the errors and goes to the first step that has one. */
  const showErrors = (errors: Record<string, string>) => {
    form.setErrors(errors)
    const steps = Object.keys(errors).map((path) => STEPS.indexOf(stepOf(path)))
    if (steps.length > 0) setStep(Math.min(...steps))
  }
  const { submit, isSaving } = useSave({
    save: () => answer(client.POST('/v1/panel/campaigns', { body: createBody(form.getValues(), timeZone) })),
    changes: ['/v1/panel/campaigns'],
    form: { ...form, setErrors: (errors) => showErrors(toFormErrors(errors, form.getValues())) },
    saved: 'Campaign created',
    onSaved({ id }) {
      void navigate(`/campaigns/${id}`)
    },
  })

  /** Goes to a step, or to the first step before it that has an error. */
  const goTo = (target: number) => {
    const known = { reserveCpc: facts.shop?.reserveCpc ?? 0, formats: formats ?? [] }
    const problems = Object.entries(problemsOf(form.getValues(), known))
    const before = problems.filter(([path]) => STEPS.indexOf(stepOf(path)) < target)
    form.setErrors(Object.fromEntries(before))
    const first = before.map(([path]) => STEPS.indexOf(stepOf(path)))
    setStep(Math.min(target, ...first))
    scrollTo({ top: 0 })
  }

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (step < REVIEW) goTo(step + 1)
        else void submit(undefined)
      }}
    >
      <UnsavedGuard hasChanges={form.isDirty} />
      <Stepper active={step} onStepClick={goTo} size="sm" iconSize={30} allowNextStepsSelect>
        <Stepper.Step label="Campaign">
          <KindSection {...section} />
        </Stepper.Step>
        <Stepper.Step label={form.values.kind === 'SPONSORED' ? 'Products' : 'Banners'}>
          <ContentSections {...section} formats={formats} />
        </Stepper.Step>
        <Stepper.Step label="Money and dates">
          <MoneySection {...section} />
          <DatesSection {...section} />
        </Stepper.Step>
        <Stepper.Step label="Review">
          <Review {...section} formats={formats} />
          <SwitchSection {...section} />
        </Stepper.Step>
      </Stepper>
      <Group justify="space-between" py="md">
        <Button variant="default" onClick={() => (step === 0 ? void navigate('/campaigns') : setStep(step - 1))}>
          {step === 0 ? 'Cancel' : 'Back'}
        </Button>
        <Button type="submit" loading={isSaving}>
          {step < REVIEW ? 'Continue' : form.values.status === 'DRAFT' ? 'Save draft' : 'Create campaign'}
        </Button>
      </Group>
    </form>
  )
}
