import { Alert, Button, Group, Select, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { REPORT_WINDOW_HOURS_MAX } from '../../../../../schemas/http/panel/limits.ts'
import { NumberField, type NumberValue } from '../../components/form/number-field.tsx'
import { PanelCard } from '../../components/page/panel-card.tsx'
import { t } from '../../messages/pages/reports.ts'
import { isWhatIf, type ReportState, type WhatIf } from './report-state.ts'
import { useReportShop } from './use-report.ts'
import type { ChangeReport } from './use-report-state.ts'
import { aboutOf, type Model, modelNames, wordFor } from './vocabulary.ts'

/** The height of a field's label in pixels. Buttons next to a field start below its label. */
const LABEL_HEIGHT = 25
const MODEL_DEFAULT: Model = 'LAST_TOUCH'

interface Values {
  model: Model
  clickWindowHours: NumberValue
  viewWindowHours: NumberValue
}

/** What-if attribution settings. They affect only this view. */
export default function CompareModelsPanel({ state, change }: { state: ReportState; change: ChangeReport }) {
  const shop = useReportShop(state)
  const { model = MODEL_DEFAULT, clickWindowHours = '', viewWindowHours = '' } = state.whatIf
  const form = useForm<Values>({ initialValues: { model, clickWindowHours, viewWindowHours } })
  if (!shop) {
    return (
      <PanelCard title={t('compareModels')}>
        <Text size="sm" c="dimmed">
          {t('chooseShop')}
        </Text>
      </PanelCard>
    )
  }
  const clear = () => {
    form.setValues({ model: MODEL_DEFAULT, clickWindowHours: '', viewWindowHours: '' })
    change({ whatIf: {} })
  }
  return (
    <PanelCard title={t('compareModels')} description={t('compareModelsHelp')}>
      <form onSubmit={form.onSubmit((values) => change({ whatIf: whatIfOf(values) }))}>
        <Group align="start" gap="sm">
          <Select
            label={t('model')}
            description={aboutOf(form.values.model)}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            w={230}
            allowDeselect={false}
            data={modelNames.map((value) => ({ value, label: wordFor(value) }))}
            {...form.getInputProps('model')}
          />
          <HoursInput
            label={t('clickWindow')}
            asSet={shop.clickWindowHours}
            {...form.getInputProps('clickWindowHours')}
          />
          <HoursInput label={t('viewWindow')} asSet={shop.viewWindowHours} {...form.getInputProps('viewWindowHours')} />
          <Button type="submit" variant="default" mt={LABEL_HEIGHT}>
            {t('apply')}
          </Button>
          {isWhatIf(state.whatIf) && (
            <Button variant="default" mt={LABEL_HEIGHT} onClick={clear}>
              {t('backToSettings')}
            </Button>
          )}
        </Group>
      </form>
      {isWhatIf(state.whatIf) && (
        <Alert variant="light" mt="sm" p="xs" aria-live="polite">
          {shop.clickWindowHours === undefined || shop.viewWindowHours === undefined
            ? t('modelComparedPlain', { shop: shop.name })
            : t('modelCompared', {
                shop: shop.name,
                clickHours: shop.clickWindowHours,
                viewHours: shop.viewWindowHours,
              })}
        </Alert>
      )}
    </PanelCard>
  )
}

function HoursInput({ asSet, ...props }: { label: string; asSet: number | undefined }) {
  return (
    <NumberField
      w={150}
      max={REPORT_WINDOW_HOURS_MAX}
      placeholder={asSet === undefined ? '' : t('windowAsSet', { hours: asSet })}
      {...props}
    />
  )
}

/** Leaves out values that equal the defaults. If none are left, nothing is compared. */
function whatIfOf({ model, clickWindowHours, viewWindowHours }: Values): WhatIf {
  return {
    ...(model !== MODEL_DEFAULT && { model }),
    ...(clickWindowHours !== '' && { clickWindowHours: Number(clickWindowHours) }),
    ...(viewWindowHours !== '' && { viewWindowHours: Number(viewWindowHours) }),
  }
}
