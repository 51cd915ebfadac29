import { Button, Collapse, MultiSelect, Select, Stack, TagsInput, Text, TextInput, UnstyledButton } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { IconChevronRight, IconPlayerPlay } from '@tabler/icons-react'
import { ADS_MAX } from '../../../../../../schemas/http/panel/limits.ts'
import type { AdFormat, AdUnit } from '../../../client/types.ts'
import { NumberField } from '../../../components/form/number-field.tsx'
import { t as words } from '../../../messages/pages/shop/algorithms.ts'
import { t } from '../../../messages/pages/shop/try-it.ts'
import { algorithms, type ParameterName, parameters } from '../ad-units/algorithms.ts'
import type { ParameterValues, TryValues } from './ad-request.ts'
import classes from './try-it.module.css'

const ADS_DEFAULT = 4

const adTypes = [
  { value: 'ALL', label: t('adTypeAll') },
  { value: 'SPONSORED', label: t('adTypePaid') },
  { value: 'AUTOPROMO', label: t('adTypeOwn') },
]

const isEmpty = (value: ParameterValues[ParameterName]) =>
  value === undefined || (typeof value === 'object' ? value.length === 0 : value === '')

/** The form of an ad request. It requires the parameters that the algorithm needs. */
export function useTryForm({ algorithm }: AdUnit) {
  const { needs, takes } = algorithms[algorithm]
  const names = [...needs.flat(), ...takes]
  const empty = (name: ParameterName) => (['text', 'number'].includes(parameters[name].input) ? '' : [])
  return useForm<TryValues>({
    initialValues: {
      adCount: ADS_DEFAULT,
      adType: 'ALL',
      values: Object.fromEntries(names.map((name) => [name, empty(name)])),
    },
    validate: ({ adCount, values }) => ({
      adCount: Number.isNaN(adCount),
      // Mark the field only: it says itself why it refuses a number.
      ...Object.fromEntries(names.map((name) => [`values.${name}`, Number.isNaN(values[name])])),
      ...Object.fromEntries(
        needs
          .filter((group) => group.every((name) => isEmpty(values[name])))
          .map((group) => [`values.${group[0]}`, group.length > 1 ? t('enterOneOf') : t('required')]),
      ),
    }),
  })
}

export interface TryFormProps {
  unit: AdUnit
  formats: readonly AdFormat[]
  form: ReturnType<typeof useTryForm>
  isBusy: boolean
  onSubmit: (values: TryValues) => void
}

export function TryForm({ unit, formats, form, isBusy, onSubmit }: TryFormProps) {
  const { needs, takes } = algorithms[unit.algorithm]
  const [first, ...others] = takes
  // If nothing is required, show the first optional parameter at once.
  const shown = needs.length === 0 && first ? [first] : []
  const more = shown.length === 0 ? takes : others
  const [isOpen, { toggle }] = useDisclosure()
  return (
    <form onSubmit={form.onSubmit(onSubmit)} noValidate>
      <Stack gap="sm">
        {needs.map((group) => (
          <Stack key={group.join()} gap="sm" className={group.length > 1 ? classes.group : undefined}>
            {group.length > 1 && (
              <Text size="sm" fw={500}>
                {t('atLeastOneOf')}
              </Text>
            )}
            {group.map((name) => (
              <ParameterField key={name} name={name} form={form} formats={formats} required={group.length === 1} />
            ))}
          </Stack>
        ))}
        {shown.map((name) => (
          <ParameterField key={name} name={name} form={form} formats={formats} />
        ))}
        <NumberField label={t('adCount')} min={1} max={ADS_MAX} required {...form.getInputProps('adCount')} />
        <div>
          <UnstyledButton className={classes.more} onClick={toggle} aria-expanded={isOpen}>
            <IconChevronRight size={16} aria-hidden className={classes.chevron} />
            {t('moreParameters')}
          </UnstyledButton>
          <Collapse expanded={isOpen}>
            <Stack gap="sm" pt="sm">
              <Select label={t('adType')} data={adTypes} allowDeselect={false} {...form.getInputProps('adType')} />
              {more.map((name) => (
                <ParameterField key={name} name={name} form={form} formats={formats} />
              ))}
            </Stack>
          </Collapse>
        </div>
        <Button type="submit" loading={isBusy} leftSection={<IconPlayerPlay size={16} aria-hidden />}>
          {t('requestAds')}
        </Button>
        <Text size="xs" c="dimmed">
          {t('isReal')}
        </Text>
      </Stack>
    </form>
  )
}

interface ParameterFieldProps {
  name: ParameterName
  form: UseFormReturnType<TryValues>
  formats: readonly AdFormat[]
  required?: boolean
}

/** The field for one parameter of an ad request. */
function ParameterField({ name, form, formats, required = false }: ParameterFieldProps) {
  const { input } = parameters[name]
  const field = form.getInputProps(`values.${name}`)
  const shared = { label: words(name), description: words(`${name}Help`), required }
  if (name === 'adFormatIds') {
    return <MultiSelect {...shared} data={formats.map((each) => ({ value: each.id, label: each.name }))} {...field} />
  }
  if (input === 'number') return <NumberField {...shared} decimalsMax={6} {...field} />
  if (input === 'text') return <TextInput {...shared} {...field} />
  return <TagsInput {...shared} splitChars={['\n', '|']} acceptValueOnBlur {...field} />
}
