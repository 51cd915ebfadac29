import { EmptyState, Paper } from '@mantine/core'
import { IconAd2 } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import type { ApiProblem } from '../../../client/problem.ts'
import type { AdFormat, AdUnit } from '../../../client/types.ts'
import { ErrorState } from '../../../components/page/error-state.tsx'
import { t } from '../../../messages/pages/shop/try-it.ts'
import { requestAds, type Selection, type TryValues } from './ad-request.ts'
import { SelectionView } from './selection-view.tsx'
import { TryForm, useTryForm } from './try-form.tsx'
import classes from './try-it.module.css'

export interface TryItProps {
  unit: AdUnit
  formats: readonly AdFormat[]
}

/** Sends an ad request for a unit, and shows its ads with why each is there, and why others are not. */
export function TryIt({ unit, formats }: TryItProps) {
  const form = useTryForm(unit)
  const request = useMutation<Selection, ApiProblem, TryValues>({
    mutationFn: (values) => requestAds(unit, values),
    onError: (problem) => form.setErrors(fieldErrors(problem)),
  })
  const { data, error, variables } = request
  return (
    <div className={classes.columns}>
      <Paper withBorder p="md" className={classes.form}>
        <TryForm
          unit={unit}
          formats={formats}
          form={form}
          isBusy={request.isPending}
          onSubmit={(values) => request.mutate(values)}
        />
      </Paper>
      <section aria-label={t('ads')} aria-live="polite" aria-busy={request.isPending} className={classes.result}>
        {error && <ErrorState problem={error} />}
        {data && variables && (
          <SelectionView
            key={data.requestId}
            selection={data}
            adCount={variables.adCount}
            unit={unit}
            formats={formats}
          />
        )}
        {!data && !error && (
          <EmptyState py="xl" icon={<IconAd2 />} title={t('noRequest')} description={t('noRequestHelp')} />
        )}
      </section>
    </div>
  )
}

/** Maps the errors of the API to fields of the form. The request has one slot: `targeting.0.brand` is the field `values.brand`. */
function fieldErrors(problem: ApiProblem): Record<string, string> {
  const named = Object.entries(problem.fieldErrors()).map(([path, message]) => {
    const name = path.replace(/^targeting\.0\./, '').split('.')[0]!
    return [name === 'adCount' || name === 'adType' ? name : `values.${name}`, message]
  })
  return Object.fromEntries(named)
}
