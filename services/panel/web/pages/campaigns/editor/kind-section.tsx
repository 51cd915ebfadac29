import { Alert, Checkbox, Group, Radio, Select, Text, TextInput } from '@mantine/core'
import { FormSection } from '../../../components/form/form-section.tsx'
import { PAGE_SIZE_MAX, useList } from '../../../data/use-list.ts'
import { useSession } from '../../../session/session.ts'
import { useShop } from '../../../session/shop-context.tsx'
import { KINDS } from '../words.ts'
import type { SectionProps } from './campaign-form.ts'
import classes from './kind-section.module.css'

const descriptions = {
  SPONSORED: 'Products of the shop, shown among its own. A click costs; views are free.',
  DISPLAY: 'Banners with pictures and texts, looked at by the publisher first. A thousand views cost; clicks are free.',
}

/** The kind, account, shop and name of the campaign. Only the name can change later. */
export function KindSection({ form, shop, account, isNew }: SectionProps) {
  const { role } = useSession().user
  const { shops = [] } = useShop()
  const isOwnShop = shop !== undefined && shop.accountId === account?.id
  const hasDisplay = account?.displayEnabled ?? false
  return (
    <FormSection title="Campaign" description={isNew ? 'Kind, shop and account cannot be changed later.' : undefined}>
      <TextInput label="Name" required maxLength={200} data-autofocus {...form.getInputProps('name')} />
      {form.errors.accountId && !(isNew && role === 'OPERATOR') && (
        <Alert color="red" variant="light" role="alert">
          {account?.name ?? 'The account'}: {form.errors.accountId}
        </Alert>
      )}
      {isNew && role === 'OPERATOR' && <AccountChoice form={form} />}
      {isNew && (
        <>
          <Select
            label="Shop"
            description="Where it runs; bids and budgets are in its currency"
            required
            allowDeselect={false}
            searchable={shops.length > 8}
            data={shops.map(({ id, name, currency }) => ({ value: id, label: `${name} (${currency})` }))}
            {...form.getInputProps('shopId')}
          />
          <Radio.Group label="Kind" required {...form.getInputProps('kind')}>
            <div className={classes.cards}>
              {KINDS.map(({ value, label }) => (
                <Radio.Card
                  key={value}
                  value={value}
                  className={classes.card}
                  disabled={value === 'DISPLAY' && !hasDisplay}
                >
                  <Group wrap="nowrap" align="flex-start" gap="sm">
                    <Radio.Indicator mt={2} />
                    <div>
                      <Text size="sm" fw={600}>
                        {label}
                      </Text>
                      <Text size="sm" c="dimmed">
                        {descriptions[value]}
                      </Text>
                    </div>
                  </Group>
                </Radio.Card>
              ))}
            </div>
          </Radio.Group>
          {account && !hasDisplay && (
            <Text size="sm" c="dimmed">
              Banners are not open to {account.name}: the operator enables display advertising.
            </Text>
          )}
          {isOwnShop && (
            <Checkbox
              label="Own promotion, free of charge"
              description="Shown only in places that paid ads leave. It needs no bid and no budget"
              {...form.getInputProps('autoPromo', { type: 'checkbox' })}
            />
          )}
        </>
      )}
    </FormSection>
  )
}

/** Only operators make campaigns for other accounts. */
function AccountChoice({ form }: Pick<SectionProps, 'form'>) {
  const { items = [] } = useList('/v1/panel/accounts', { pageSize: PAGE_SIZE_MAX })
  const payers = items.filter(({ kind }) => kind !== 'OPERATOR')
  return (
    <Select
      label="Account"
      description="Who pays"
      required
      searchable
      allowDeselect={false}
      data={payers.map(({ id, name }) => ({ value: id, label: name }))}
      {...form.getInputProps('accountId')}
    />
  )
}
