import { Alert, Checkbox, Group, Radio, Select, Text, TextInput } from '@mantine/core'
import { NAME_CHARS_MAX } from '../../../../../../schemas/http/panel/limits.ts'
import { FormSection } from '../../../components/form/form-section.tsx'
import { PAGE_SIZE_MAX, useList } from '../../../data/use-list.ts'
import { t } from '../../../messages/pages/campaigns/editor.ts'
import { useSession } from '../../../session/session.ts'
import { useShop } from '../../../session/shop-context.tsx'
import { KINDS } from '../words.ts'
import type { SectionProps } from './campaign-form.ts'
import classes from './kind-section.module.css'

const descriptions = {
  SPONSORED: t('sponsoredHelp'),
  DISPLAY: t('displayHelp'),
}

/** The kind, account, shop and name of the campaign. Only the name can change later. */
export function KindSection({ form, shop, account, isNew }: SectionProps) {
  const { role } = useSession().user
  const { shops = [] } = useShop()
  const isOwnShop = shop !== undefined && shop.accountId === account?.id
  const hasDisplay = account?.displayEnabled ?? false
  return (
    <FormSection title={t('campaign')} description={isNew && t('fixedLater')}>
      <TextInput label={t('name')} required maxLength={NAME_CHARS_MAX} {...form.getInputProps('name')} />
      {form.errors.accountId && !(isNew && role === 'OPERATOR') && (
        <Alert color="red" variant="light" role="alert">
          {t('accountProblem', { account: account?.name ?? t('theAccount'), problem: String(form.errors.accountId) })}
        </Alert>
      )}
      {isNew && role === 'OPERATOR' && <AccountChoice form={form} />}
      {isNew && (
        <>
          <Select
            label={t('shop')}
            description={t('shopHelp')}
            required
            allowDeselect={false}
            searchable={shops.length > 8}
            data={shops.map(({ id, name, currency }) => ({ value: id, label: `${name} (${currency})` }))}
            {...form.getInputProps('shopId')}
          />
          <Radio.Group label={t('type')} required {...form.getInputProps('kind')}>
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
              {t('noDisplay', { account: account.name })}
            </Text>
          )}
          {isOwnShop && (
            <Checkbox
              label={t('autoPromo')}
              description={t('autoPromoHelp')}
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
      label={t('account')}
      description={t('accountHelp')}
      required
      searchable
      allowDeselect={false}
      data={payers.map(({ id, name }) => ({ value: id, label: name }))}
      {...form.getInputProps('accountId')}
    />
  )
}
