import { ActionIcon, Anchor, Code, CopyButton, SegmentedControl, Stack, Text, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import type { AdUnit, Shop } from '../../../client/types.ts'
import { PanelCard } from '../../../components/page/panel-card.tsx'
import { t } from '../../../messages/pages/ad-units.ts'
import { AlgorithmGuide } from '../ad-units/algorithm-guide.tsx'
import { algorithms, isDisplay, parameters } from '../ad-units/algorithms.ts'
import { browserExample, nodeExample, phpExample, pythonExample, scriptExample, type UnitFacts } from './examples.ts'
import { FirstRequest } from './first-request.tsx'

const servers = { node: nodeExample, php: phpExample, python: pythonExample }
type Server = keyof typeof servers

/** The code that requests the ads of a unit and reports their events, with the unit's ids filled in. */
export function CodeTab({ unit, shop }: { unit: AdUnit; shop: Shop | undefined }) {
  const [server, setServer] = useState<Server>('node')
  const facts: UnitFacts = {
    origin: location.origin,
    slotHash: unit.slotHash,
    shopId: unit.shopId,
    currency: shop?.currency ?? 'EUR',
    isDisplay: isDisplay(unit.algorithm),
    parameters: examplesFor(unit),
  }
  return (
    <Stack>
      <FirstRequest unit={unit} timeZone={shop?.timeZone} />
      {!facts.isDisplay && <Snippet title={t('script')} description={t('scriptHelp')} code={scriptExample(facts)} />}
      <Snippet title={t('browser')} description={t('browserHelp')} code={browserExample(facts)} />
      <Snippet
        title={t('server')}
        description={t.rich('serverHelp', {
          tokens: (text) => (
            <Anchor component={Link} to="/tokens" inherit underline="always">
              {text}
            </Anchor>
          ),
        })}
        code={servers[server](facts)}
        above={
          <SegmentedControl
            aria-label={t('server')}
            size="xs"
            mb="xs"
            value={server}
            onChange={setServer}
            data={(Object.keys(servers) as Server[]).map((value) => ({ value, label: t(value) }))}
          />
        }
      />
      <PanelCard title={t('needs')}>
        <AlgorithmGuide algorithm={unit.algorithm} isCode />
        <Text size="sm" mt="sm">
          {t('clientId')}
        </Text>
        <Text size="sm" mt="xs">
          {t.rich('documentation', {
            reference: (text) => (
              <Anchor href="/docs" target="_blank" inherit underline="always">
                {text}
              </Anchor>
            ),
          })}
        </Text>
      </PanelCard>
    </Stack>
  )
}

/** A value for each parameter that the algorithm needs. */
function examplesFor({ algorithm }: AdUnit): Record<string, unknown> {
  const names = algorithms[algorithm].needs.map((group) => group[0]!)
  return Object.fromEntries(
    names.map((name) => [
      name,
      parameters[name].input === 'list' ? [parameters[name].example] : parameters[name].example,
    ]),
  )
}

interface SnippetProps {
  title: string
  description: ReactNode
  code: string
  above?: ReactNode
}

function Snippet({ title, description, code, above }: SnippetProps) {
  return (
    <PanelCard
      title={title}
      description={description}
      actions={
        <CopyButton value={code}>
          {({ copied, copy }) => (
            <Tooltip label={copied ? t('copied') : t('copy')}>
              <ActionIcon
                variant="subtle"
                color="gray"
                onClick={copy}
                aria-label={copied ? t('copied') : t('copyWhat', { what: title })}
              >
                {copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
              </ActionIcon>
            </Tooltip>
          )}
        </CopyButton>
      }
    >
      {above}
      <Code block tabIndex={0} style={{ overflowX: 'auto' }} role="region" aria-label={t('codeOf', { what: title })}>
        {code}
      </Code>
    </PanelCard>
  )
}
