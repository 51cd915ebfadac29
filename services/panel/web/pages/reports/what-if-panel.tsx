import { Alert, Button, Group, Select, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { NumberField, type NumberValue } from '../../components/form/number-field.tsx'
import { PanelCard } from '../../components/page/panel-card.tsx'
import { isWhatIf, type ReportState, type WhatIf, WINDOW_HOURS_MAX } from './report-state.ts'
import { useReportShop } from './use-report.ts'
import type { ChangeReport } from './use-report-state.ts'
import { type Model, modelNames, models } from './vocabulary.ts'

const MODEL_DEFAULT: Model = 'LAST_TOUCH'

interface Values {
  model: Model
  clickWindowHours: NumberValue
  viewWindowHours: NumberValue
}

/** What-if attribution settings. They change nothing but this view. */
export function WhatIfPanel({ state, change }: { state: ReportState; change: ChangeReport }) {
  const shop = useReportShop(state)
  const { model = MODEL_DEFAULT, clickWindowHours = '', viewWindowHours = '' } = state.whatIf
  const form = useForm<Values>({ initialValues: { model, clickWindowHours, viewWindowHours } })
  if (!shop) {
    return (
      <PanelCard title="What if">
        <Text size="sm" c="dimmed">
          Windows are settings of a shop: choose one shop above.
        </Text>
      </PanelCard>
    )
  }
  const clear = () => {
    form.setValues({ model: MODEL_DEFAULT, clickWindowHours: '', viewWindowHours: '' })
    change({ whatIf: {} })
  }
  return (
    <PanelCard
      title="What if"
      description="Credits sales anew from the stored views and clicks, for this look alone. No setting is changed."
    >
      <form onSubmit={form.onSubmit((values) => change({ whatIf: whatIfOf(values) }))}>
        <Group align="end" gap="sm">
          <Select
            label="Model"
            w={230}
            allowDeselect={false}
            data={modelNames.map((value) => ({ value, label: models[value] }))}
            {...form.getInputProps('model')}
          />
          <HoursInput
            label="Hours after a click"
            asSet={shop.clickWindowHours}
            {...form.getInputProps('clickWindowHours')}
          />
          <HoursInput
            label="Hours after a view"
            asSet={shop.viewWindowHours}
            {...form.getInputProps('viewWindowHours')}
          />
          <Button type="submit" variant="default">
            Look
          </Button>
          {isWhatIf(state.whatIf) && (
            <Button variant="default" onClick={clear}>
              Back to the settings
            </Button>
          )}
        </Group>
      </form>
      {isWhatIf(state.whatIf) && (
        <Alert variant="light" mt="sm" p="xs" aria-live="polite">
          {`Sales are as they would be credited. Differences are to the settings of ${shop.name}: last touch, ${shop.clickWindowHours} hours after a click, ${shop.viewWindowHours} after a view.`}
        </Alert>
      )}
    </PanelCard>
  )
}

function HoursInput({ asSet, ...props }: { label: string; asSet: number | undefined }) {
  return (
    <NumberField
      w={150}
      max={WINDOW_HOURS_MAX}
      placeholder={asSet === undefined ? '' : `${asSet}, as set`}
      {...props}
    />
  )
}

/** Values that equal the defaults are left out. Without any, nothing is compared. */
function whatIfOf({ model, clickWindowHours, viewWindowHours }: Values): WhatIf {
  return {
    ...(model !== MODEL_DEFAULT && { model }),
    ...(clickWindowHours !== '' && { clickWindowHours: Number(clickWindowHours) }),
    ...(viewWindowHours !== '' && { viewWindowHours: Number(viewWindowHours) }),
  }
}
