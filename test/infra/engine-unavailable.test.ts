import { expect, it } from 'vitest'
import { connectionMeaning } from '../../infra/engine-unavailable.ts'

const meaningOf = (message: string) => connectionMeaning(message, 'ClickHouse', 'CLICKHOUSE_URL')

it.each([
  [
    'write EPROTO 40:error:0A00010B:SSL routines:tls_validate_record_header:wrong version number:../deps/openssl:77:\n\n',
    'the server does not speak TLS on this port: check CLICKHOUSE_URL',
  ],
  [
    'socket hang up',
    'the server has closed the connection; if it always does, it expects TLS or is not ClickHouse: check CLICKHOUSE_URL',
  ],
  ['<h1>Welcome</h1>', 'the server is not ClickHouse: check CLICKHOUSE_URL. It answers: <h1>Welcome</h1>'],
  ['{"error":1}', 'the server is not ClickHouse: check CLICKHOUSE_URL. It answers: {"error":1}'],
  ['connect ECONNREFUSED 127.0.0.1:1', 'connect ECONNREFUSED 127.0.0.1:1'],
])('says what the error %j of a connection means', (message, meaning) => {
  expect(meaningOf(message)).toBe(meaning)
})

it.each(['<p>', ''])('repeats only the beginning of a long answer that begins with "%s"', (beginning) => {
  const meaning = meaningOf(beginning + 'x'.repeat(100_000))
  expect(meaning).toContain(`${beginning}xxx`)
  expect(meaning.length).toBeLessThan(400)
})
