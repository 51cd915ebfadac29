import { expect, it } from 'vitest'
import { auditedTopics } from '../../../infra/analytics/audit.ts'
import { storedTopics } from '../../../streams/sink/rows.ts'

it('the audit counts every topic that the sink stores, unless its rows are replaced or expire', () => {
  const audited = new Set(auditedTopics.map(({ topic }) => topic))
  expect(storedTopics.filter((topic) => !audited.has(topic)).sort()).toEqual(['item-groups', 'security-events'])
})
