import { Paper, Stack, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Logo } from '../../components/page/logo.tsx'
import { t } from '../../messages/components.ts'
import classes from './sign-in-page.module.css'

/** The frame of the pages that are shown before signing in. */
export function SignInCard({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className={classes.page}>
      <title>{t('documentTitle', { page: title })}</title>
      <Paper withBorder className={classes.card} p="xl">
        <Stack>
          <div className={classes.brand}>
            <Logo />
            <Title order={1} size="h2">
              {title}
            </Title>
          </div>
          {children}
        </Stack>
      </Paper>
    </main>
  )
}
