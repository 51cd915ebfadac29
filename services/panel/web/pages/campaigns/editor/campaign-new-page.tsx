import { Button, Group, Skeleton, Stepper, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { answer, client } from '../../../client/client.ts'
import { StickyActions } from '../../../components/form/form-section.tsx'
import { UnsavedGuard } from '../../../components/form/unsaved-guard.tsx'
import { ErrorState } from '../../../components/page/error-state.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { useEntity } from '../../../data/use-entity.ts'
import { useSave } from '../../../data/use-save.ts'
import { t } from '../../../messages/pages/campaigns/editor.ts'
import { useSession } from '../../../session/session.ts'
import { useShop } from '../../../session/shop-context.tsx'
import type { SectionProps } from './campaign-form.ts'
import { ContentSections } from './content-sections.tsx'
import { KindSection } from './kind-section.tsx'
import { DatesSection, MoneySection } from './money-section.tsx'
import { Review } from './review.tsx'
import { SwitchSection } from './switch-section.tsx'
import { useCampaignFacts } from './use-campaign-facts.ts'
import { focusError, useProductCheck } from './use-product-check.ts'
import { createBody } from './values/campaign-body.ts'
import { problemsOf, STEPS, stepOf, toFormErrors } from './values/campaign-problems.ts'
import { type CampaignValues, copyOf, EMPTY_CAMPAIGN, imageIdsOf } from './values/campaign-values.ts'

const REVIEW = STEPS.indexOf('review')

/** A new campaign, step by step. */
export default function CampaignNewPage() {
  const { shops, shop } = useShop()
  const from = useSearchParams()[0].get('from')
  const copied = useEntity('/v1/panel/campaigns/{id}', { path: { id: from ?? '' }, enabled: from !== null })
  const zone = shops?.find(({ id }) => id === copied.data?.shopId)?.timeZone
  const model = copied.data ? copyOf(copied.data, zone ?? 'UTC') : undefined
  const isReady = shops !== undefined && (from === null || model !== undefined)
  return (
    <>
      <PageHeader title={t('newCampaign')} breadcrumbs={[{ label: t('campaigns'), to: '/campaigns' }]} />
      {copied.problem && !model ? (
        <ErrorState problem={copied.problem} retry={copied.retry} />
      ) : isReady ? (
        <Steps shopId={shop?.id ?? ''} model={model} />
      ) : (
        <Skeleton height={420} />
      )}
    </>
  )
}

function Steps({ shopId, model }: { shopId: string; model: CampaignValues | undefined }) {
  const navigate = useNavigate()
  const { user } = useSession()
  const { step, moveTo, heading, body } = useSteps()
  const form = useForm({ initialValues: model ?? { ...EMPTY_CAMPAIGN, shopId } })
  const { formats, ...facts } = useCampaignFacts(form.values)
  const nothingToPromote = useProductCheck()
  const section: SectionProps = { form, ...facts, isNew: true }
  const timeZone = facts.shop?.timeZone ?? 'UTC'

  /** Shows the errors and goes to the first step that has one. */
  const showErrors = (errors: Record<string, string>) => {
    form.setErrors(errors)
    const steps = Object.keys(errors).map((path) => STEPS.indexOf(stepOf(path)))
    if (steps.length > 0) moveTo(Math.min(...steps), true)
  }
  const { submit, isSaving } = useSave({
    async save() {
      const values = form.getValues()
      if (values.accountId !== '') await giveImages(values)
      return answer(client.POST('/v1/panel/campaigns', { body: createBody(values, timeZone) }))
    },
    changes: ['/v1/panel/campaigns'],
    form: { ...form, setErrors: (errors) => showErrors(toFormErrors(errors, form.getValues())) },
    saved: t('created'),
    onSaved({ id }) {
      void navigate(`/campaigns/${id}`)
    },
  })
  const problemsBefore = (target: number) => {
    const { currency, reserveCpc = 0 } = facts.shop ?? {}
    const known = { reserveCpc, currency, formats: formats ?? [], choosesAccount: user.role === 'OPERATOR' }
    const problems = Object.entries(problemsOf(form.getValues(), known))
    return Object.fromEntries(problems.filter(([path]) => STEPS.indexOf(stepOf(path)) < target))
  }
  /** Goes to a step, or to the first step before it that has an error. */
  const goTo = (target: number) => {
    const problems = problemsBefore(target)
    if (Object.keys(problems).length > 0) return showErrors(problems)
    form.clearErrors()
    moveTo(target, false)
  }
  const create = async () => {
    const problems = { ...problemsBefore(REVIEW), ...(await nothingToPromote(form.getValues())) }
    if (Object.keys(problems).length > 0) showErrors(problems)
    else void submit(undefined)
  }
  /** Enter in a field goes to the next step at most. Only the button Create creates the campaign. */
  const onEnter = (event: KeyboardEvent) => {
    const isField = event.target instanceof HTMLInputElement && event.target.type !== 'file'
    if (event.key !== 'Enter' || !isField || event.defaultPrevented || event.nativeEvent.isComposing) return
    event.preventDefault()
    if (step < REVIEW && !event.repeat) goTo(step + 1)
  }

  const names = [
    t('stepCampaign'),
    form.values.kind === 'SPONSORED' ? t('stepProducts') : t('stepBanners'),
    t('stepMoney'),
    t('stepReview'),
  ]
  return (
    <form noValidate onSubmit={(event) => event.preventDefault()} onKeyDown={onEnter}>
      <UnsavedGuard hasChanges={form.isDirty} />
      <Stepper active={step} onStepClick={goTo} size="sm" iconSize={30} allowNextStepsSelect>
        {names.map((label, at) => (
          <Stepper.Step key={STEPS[at]} label={label} {...(at === step && { 'aria-current': 'step' as const })} />
        ))}
      </Stepper>
      <div ref={body}>
        <Title order={2} ref={heading} tabIndex={-1} mt="md" style={{ outline: 'none' }}>
          {t('stepOf', { step: step + 1, count: STEPS.length, name: names[step]! })}
        </Title>
        {STEPS[step] === 'kind' && <KindSection {...section} />}
        {STEPS[step] === 'content' && <ContentSections {...section} formats={formats} />}
        {STEPS[step] === 'money' && (
          <>
            <MoneySection {...section} />
            <DatesSection {...section} />
          </>
        )}
        {STEPS[step] === 'review' && (
          <>
            <Review {...section} formats={formats} />
            <SwitchSection {...section} />
          </>
        )}
      </div>
      <StickyActions>
        <Button variant="default" onClick={() => (step === 0 ? void navigate('/campaigns') : moveTo(step - 1, false))}>
          {step === 0 ? t('cancel') : t('back')}
        </Button>
        <Group>
          {step < REVIEW ? (
            <Button key="continue" onClick={() => goTo(step + 1)}>
              {t('continue')}
            </Button>
          ) : (
            // The second press of a double click on Continue lands here with detail 2: ignore it.
            <Button key="create" loading={isSaving} onClick={({ detail }) => detail < 2 && void create()}>
              {form.values.status === 'DRAFT' ? t('saveDraft') : t('create')}
            </Button>
          )}
        </Group>
      </StickyActions>
    </form>
  )
}

/** Lets the chosen account use the images of the banners: those of a copied campaign may be another's. */
async function giveImages({ accountId, banners }: CampaignValues): Promise<void> {
  for (const id of imageIdsOf(banners)) {
    const params = { path: { id } }
    await answer(client.POST('/v1/panel/images/{id}/accounts', { params, body: { accountId } }))
  }
}

/** The current step. The focus goes to the heading of a new step, or to the first field in it with an error. */
function useSteps() {
  const [{ step, hasErrors, moves }, setMove] = useState({ step: 0, hasErrors: false, moves: 0 })
  const heading = useRef<HTMLHeadingElement>(null)
  const body = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (moves === 0) return
    heading.current?.focus({ preventScroll: true })
    scrollTo({ top: 0 })
    return hasErrors && body.current ? focusError(body.current) : undefined
  }, [hasErrors, moves])
  const moveTo = (next: number, withErrors: boolean) =>
    setMove((before) => ({ step: next, hasErrors: withErrors, moves: before.moves + 1 }))
  return { step, moveTo, heading, body }
}
