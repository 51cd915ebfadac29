import { Group, Select, Stack, Text } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { TRAFFIC_RULE_MAX } from '../../../../../../schemas/http/panel/limits.ts'
import type { Shop } from '../../../client/types.ts'
import { FormSection } from '../../../components/form/form-section.tsx'
import { NumberField } from '../../../components/form/number-field.tsx'
import { t } from '../../../messages/pages/shops.ts'

export type TrafficRule = NonNullable<Shop['invalidTraffic']>[number]

/** The label of each rule. Rules apply to one hour of the shop. */
const words: Record<TrafficRule['rule'], { label: string; unit?: string }> = {
  ADDRESS_CLICKS: { label: t('ruleAddressClicks'), unit: t('unitClicks') },
  AGENT_CLICKS: { label: t('ruleAgentClicks'), unit: t('unitClicks') },
  NETWORK_CLICKS: { label: t('ruleNetworkClicks'), unit: t('unitClicks') },
  ADDRESS_PEOPLE: { label: t('ruleAddressPeople'), unit: t('unitPeople') },
  ADDRESS_VIEWS: { label: t('ruleAddressViews'), unit: t('unitViews') },
  CID_CLICKS: { label: t('ruleCidClicks'), unit: t('unitClicks') },
  CID_VIEWS: { label: t('ruleCidViews'), unit: t('unitViews') },
  CLICKS_ONLY: { label: t('ruleClicksOnly'), unit: t('unitClicks') },
  TOO_FAST: { label: t('ruleTooFast') },
  NO_VIEW: { label: t('ruleNoView') },
}
const modes = [
  { value: 'OFF', label: t('off') },
  { value: 'MARK', label: t('mark') },
  { value: 'REFUSE', label: t('refuse') },
]

export interface InvalidTrafficSectionProps {
  form: UseFormReturnType<{ invalidTraffic: TrafficRule[] }>
}

/** The rules against invalid traffic: their limits per hour, and what happens to events above them. */
export function InvalidTrafficSection({ form }: InvalidTrafficSectionProps) {
  return (
    <FormSection title={t('traffic')} description={t('trafficHelp')}>
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
                  aria-label={t('trafficMax', { rule: label })}
                  w={130}
                  max={TRAFFIC_RULE_MAX}
                  unit={unit}
                  {...form.getInputProps(`invalidTraffic.${i}.max`)}
                />
              )}
              <Select
                aria-label={t('trafficMode', { rule: label })}
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
