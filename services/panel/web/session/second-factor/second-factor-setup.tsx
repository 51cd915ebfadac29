import { Alert, Button, Code, Group, Loader, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery } from '@tanstack/react-query'
import qrcode from 'qrcode-generator'
import { useState } from 'react'
import { answer, client } from '../../client/client.ts'
import type { ApiProblem } from '../../client/problem.ts'
import { DialogActions } from '../../components/form/dialog-actions.tsx'
import { CopyField } from '../../components/values/copy-field.tsx'
import { t } from '../../messages/shell.ts'

/** Sets up an authenticator app: shows the QR code, asks for a code of the app, and shows the recovery codes. */
export function SecondFactorSetup({ done, cancel }: { done: () => void; cancel?: () => void }) {
  const [recoveryCodes, setRecoveryCodes] = useState<string[] | null>(null)
  // Each opening of the dialog gets its own secret, which is kept until the dialog closes.
  const begun = useQuery({
    queryKey: ['/v1/panel/session/second-factor'],
    queryFn: () => answer(client.POST('/v1/panel/session/second-factor')),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  })
  const form = useForm({ initialValues: { code: '' } })
  const prove = useMutation<{ recoveryCodes: string[] }, ApiProblem, { enrolment: string; code: string }>({
    mutationFn: (body) => answer(client.PUT('/v1/panel/session/second-factor', { body })),
    onSuccess: (made) => setRecoveryCodes(made.recoveryCodes),
    onError: (problem) => form.setErrors({ code: problem.fieldErrors().code ?? problem.message }),
  })
  if (recoveryCodes) return <ShownRecoveryCodes codes={recoveryCodes} done={done} />
  if (begun.error) return <Alert color="red">{begun.error.message}</Alert>
  if (!begun.data) return <Loader m="auto" />
  const { secret, uri, enrolment } = begun.data
  return (
    <form onSubmit={form.onSubmit(({ code }) => prove.mutate({ enrolment, code: code.replaceAll(/\s/g, '') }))}>
      <Stack>
        <Text size="sm">{t('scanWithApp')}</Text>
        <QrCode text={uri} label={t('qrCode')} />
        <div>
          <Text size="xs" c="dimmed">
            {t('noCamera')}
          </Text>
          <CopyField value={secret} label={t('key')} />
        </div>
        <TextInput
          label={t('code')}
          description={t('sixDigits')}
          autoComplete="one-time-code"
          inputMode="numeric"
          required
          autoFocus
          {...form.getInputProps('code')}
        />
        {cancel ? (
          <DialogActions label={t('turnOn')} isSaving={prove.isPending} close={cancel} />
        ) : (
          <Button type="submit" loading={prove.isPending}>
            {t('turnOn')}
          </Button>
        )}
      </Stack>
    </form>
  )
}

/** The recovery codes, which are shown only once. */
export function ShownRecoveryCodes({ codes, done }: { codes: readonly string[]; done: () => void }) {
  return (
    <Stack>
      <Alert color="yellow" variant="light">
        {t('keepRecoveryCodes')}
      </Alert>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs">
        {codes.map((code) => (
          <Code key={code}>{code}</Code>
        ))}
      </SimpleGrid>
      <Group justify="space-between">
        <Button variant="default" onClick={() => void navigator.clipboard.writeText(codes.join('\n'))}>
          {t('copyAll')}
        </Button>
        <Button onClick={done}>{t('keptThem')}</Button>
      </Group>
    </Stack>
  )
}

/** The quiet zone around the code, in modules (ISO/IEC 18004). */
const QUIET = 4
const SIZE_PX = 200

/** A QR code, dark on white in every colour scheme, because many apps cannot read an inverted code. */
function QrCode({ text, label }: { text: string; label: string }) {
  const code = qrcode(0, 'M')
  code.addData(text)
  code.make()
  const count = code.getModuleCount()
  const cells = Array.from({ length: count * count }, (_, i) => [Math.floor(i / count), i % count] as const)
  const path = cells
    .filter(([row, column]) => code.isDark(row, column))
    .map(([row, column]) => `M${column} ${row}h1v1h-1z`)
    .join('')
  const side = count + 2 * QUIET
  return (
    <svg
      role="img"
      aria-label={label}
      width={SIZE_PX}
      height={SIZE_PX}
      viewBox={`${-QUIET} ${-QUIET} ${side} ${side}`}
      shapeRendering="crispEdges"
      style={{ margin: '0 auto', display: 'block' }}
    >
      <rect x={-QUIET} y={-QUIET} width={side} height={side} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
