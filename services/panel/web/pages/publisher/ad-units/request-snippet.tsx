import { ActionIcon, Anchor, Code, CopyButton, Stack, Text, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import type { AdUnit } from '../../../client/types.ts'
import { PanelCard } from '../../../components/page/panel-card.tsx'
import { AlgorithmGuide } from './algorithm-guide.tsx'
import { algorithms, isDisplay, parameters } from './algorithms.ts'

/** How to request the ads of a unit: with curl, and from the browser. */
export function RequestSnippet({ unit }: { unit: AdUnit }) {
  const path = isDisplay(unit.algorithm) ? '/v1/banner/dsa/raw/batch' : '/v1/dsa/raw/batch'
  const url = location.origin + path
  const body = { targeting: [{ slotHash: unit.slotHash, adCount: 4, ...examplesFor(unit) }] }
  return (
    <Stack>
      <AlgorithmGuide algorithm={unit.algorithm} />
      <Snippet title="curl" code={curl(url, body)} />
      <Snippet title="fetch" code={fetchCode(url, body)} />
      <Text size="sm" c="dimmed">
        cid is the shopper’s client id: keep the clientId of the first answer in a cookie of your own, and send it from
        then on. Everything else is in the{' '}
        <Anchor href="/docs" target="_blank" inherit underline="always">
          API reference
        </Anchor>
        .
      </Text>
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

function curl(url: string, body: object): string {
  // The examples contain no single quotes, which would end the shell's quotes.
  return `curl -s ${url} \\
  -H 'content-type: application/json' -H 'cid: the-shopper' \\
  -d '${JSON.stringify(body)}'`
}

function fetchCode(url: string, body: object): string {
  return `const answer = await fetch('${url}', {
  method: 'POST',
  headers: { 'content-type': 'application/json', cid },
  body: JSON.stringify(${JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')}),
})
const { data: [{ ads }], clientId } = await answer.json()`
}

function Snippet({ title, code }: { title: string; code: string }) {
  return (
    <PanelCard
      title={title}
      actions={
        <CopyButton value={code}>
          {({ copied, copy }) => (
            <Tooltip label={copied ? 'Copied' : 'Copy'}>
              <ActionIcon variant="subtle" color="gray" onClick={copy} aria-label={copied ? 'Copied' : `Copy ${title}`}>
                {copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
              </ActionIcon>
            </Tooltip>
          )}
        </CopyButton>
      }
    >
      <Code block tabIndex={0} style={{ overflowX: 'auto' }} role="region" aria-label={`Code with ${title}`}>
        {code}
      </Code>
    </PanelCard>
  )
}
