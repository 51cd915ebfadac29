import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'

it('refuses to restore an embedded log', () => {
  const script = join(import.meta.dirname, '../../services/restore-log.ts')
  const env = { ...process.env, KAFKA_BROKERS: '' }
  const { status, stderr } = spawnSync(process.execPath, [script], { env, encoding: 'utf8' })
  expect(status).toBe(1)
  expect(stderr).toBe(
    'KAFKA_BROKERS must name the cluster that has the copy. An embedded log is restored by make restore (docs/operating.md)\n',
  )
})
