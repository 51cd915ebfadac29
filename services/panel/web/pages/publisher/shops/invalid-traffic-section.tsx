import { Group, Select, Stack, Text } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { Shop } from '../../../client/types.ts'
import { FormSection } from '../../../components/form/form-section.tsx'
import { NumberField } from '../../../components/form/number-field.tsx'

export type TrafficRule = NonNullable<Shop['invalidTraffic']>[number]

/** The meaning of each rule, applied to one hour of the shop. */
const words: Record<TrafficRule['rule'], { label: string; unit?: string }> = {
  ADDRESS_CLICKS: { label: 'Clicks of one address, beyond what the views there earn', unit: 'clicks' },
  AGENT_CLICKS: { label: 'Clicks of one User-Agent in one network, beyond the same', unit: 'clicks' },
  NETWORK_CLICKS: { label: 'Clicks of one network, beyond the same', unit: 'clicks' },
  ADDRESS_PEOPLE: { label: 'Newcomers of one address who view banners', unit: 'people' },
  ADDRESS_VIEWS: { label: 'Views of banners by newcomers of one address', unit: 'views' },
  CID_CLICKS: { label: 'Clicks of one browser', unit: 'clicks' },
  CID_VIEWS: { label: 'Views of banners by one browser', unit: 'views' },
  CLICKS_ONLY: { label: 'Clicks of a browser that views nothing', unit: 'clicks' },
  TOO_FAST: { label: 'A click faster than a person' },
  NO_VIEW: { label: 'A click without a view, where views are reported' },
}
const modes = [
  { value: 'OFF', label: 'Off' },
  { value: 'MARK', label: 'Mark' },
  { value: 'REFUSE', label: 'Refuse' },
]
const RULE_MAX = 1_000_000

export interface InvalidTrafficSectionProps {
  form: UseFormReturnType<{ invalidTraffic: TrafficRule[] }>
}

/** The rules against invalid traffic: their limits by hour, and what happens to events that exceed them. */
export function InvalidTrafficSection({ form }: InvalidTrafficSectionProps) {
  return (
    <FormSection
      title="Invalid traffic"
      description="What becomes of views and clicks of an hour that are more than this. Marked ones count and are told apart in reports; refused ones are not billed."
    >
      <Stack gap="sm">
        {form.values.invalidTraffic.map(({ rule, max }, i) => {
          const { label, unit } = words[rule]
          return (
            <Group key={rule} gap="sm" wrap="nowrap" align="center">
              <Text size="sm" style={{ flex: 1 }}>
                {label}
              </Text>
              {unit && max !== undefined && (
                <NumberField
                  aria-label={`${label}: how many`}
                  w={130}
                  max={RULE_MAX}
                  unit={unit}
                  {...form.getInputProps(`invalidTraffic.${i}.max`)}
                />
              )}
              <Select
                aria-label={`${label}: what becomes of it`}
                w={110}
                allowDeselect={false}
                data={modes}
                {...form.getInputProps(`invalidTraffic.${i}.mode`)}
              />
            </Group>
          )
        })}
      </Stack>
    </FormSection>
  )
}
