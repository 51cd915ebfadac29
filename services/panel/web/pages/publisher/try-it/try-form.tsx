import { Button, Collapse, MultiSelect, Select, Stack, TagsInput, Text, TextInput, UnstyledButton } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { IconChevronRight, IconPlayerPlay } from '@tabler/icons-react'
import type { AdFormat, AdUnit } from '../../../client/types.ts'
import { NumberField } from '../../../components/form/number-field.tsx'
import { algorithms, type ParameterName, parameters } from '../ad-units/algorithms.ts'
import type { TryValues } from './ad-request.ts'
import classes from './try-it.module.css'

const ADS_MAX = 100
const ADS_DEFAULT = 4

const adTypes = [
  { value: 'ALL', label: 'All' },
  { value: 'SPONSORED', label: 'Paid ads only' },
  { value: 'AUTOPROMO', label: 'Own promotion only' },
]

/** The form of an ad request. The server checks that it has what the algorithm needs. */
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
    // The fields say themselves why they refuse a number.
    validate: ({ adCount, values }) => ({
      adCount: Number.isNaN(adCount),
      ...Object.fromEntries(names.map((name) => [`values.${name}`, Number.isNaN(values[name])])),
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
  // When nothing is required, the first optional parameter is shown without unfolding.
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
                At least one of
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
        <NumberField label="Ads" min={1} max={ADS_MAX} required {...form.getInputProps('adCount')} />
        <div>
          <UnstyledButton className={classes.more} onClick={toggle} aria-expanded={isOpen}>
            <IconChevronRight size={16} aria-hidden className={classes.chevron} />
            More parameters
          </UnstyledButton>
          <Collapse expanded={isOpen}>
            <Stack gap="sm" pt="sm">
              <Select label="Kind of ads" data={adTypes} allowDeselect={false} {...form.getInputProps('adType')} />
              {more.map((name) => (
                <ParameterField key={name} name={name} form={form} formats={formats} />
              ))}
            </Stack>
          </Collapse>
        </div>
        <Button type="submit" loading={isBusy} leftSection={<IconPlayerPlay size={16} aria-hidden />}>
          Request ads
        </Button>
        <Text size="xs" c="dimmed">
          A real request by a new shopper. Reports count it as a request; nothing is billed, for no view or click is
          sent.
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

const hints: Partial<Record<ParameterName, string>> = {
  shopProductId: 'Its id in the feed',
  productId: 'Its id in the feed, or its product_id',
  productIds: 'Ids in the feed, or product_ids; Enter after each',
  categoryPaths: 'Whole paths: Kitchen > Coffee; Enter after each',
  categoryIds: 'Parts of paths, in order; Enter after each',
  attributes: 'name=value; Enter after each',
  country: 'Two letters: DE',
  lang: 'Two letters: de',
  referer: 'A path; patterns with a host do not fit from here',
}

/** The field for one parameter of an ad request. */
function ParameterField({ name, form, formats, required = false }: ParameterFieldProps) {
  const { label, input, example } = parameters[name]
  const field = form.getInputProps(`values.${name}`)
  const shared = { label, description: hints[name], required }
  if (name === 'adFormatIds') {
    return <MultiSelect {...shared} data={formats.map((each) => ({ value: each.id, label: each.name }))} {...field} />
  }
  if (input === 'number') return <NumberField {...shared} decimalsMax={6} {...field} />
  if (input === 'text') return <TextInput {...shared} placeholder={String(example)} {...field} />
  return <TagsInput {...shared} splitChars={['\n', '|']} acceptValueOnBlur {...field} />
}
