import { readFileSync } from 'node:fs'
import { ClickHouseLogLevel, createClient } from '@clickhouse/client'

const docs = readFileSync(new URL('../../../docs/data.md', import.meta.url), 'utf8')
/** The statements that docs/data.md gives for a user who can only read. */
export const analystStatements = /^CREATE USER analyst [^`]+/m.exec(docs)![0].trim().split(/;\s*/).filter(Boolean)
const [createUser, grant] = analystStatements
const settings = createUser!
  .split('SETTINGS ')[1]!
  .split(', ')
  .map((text) => {
    const [, name, value, min, max] = /^(\w+) = (\d+)(?: MIN (\d+) MAX (\d+))?$/.exec(text)!
    return { name, value, bounds: min === undefined ? '' : `<${name}><min>${min}</min><max>${max}</max></${name}>` }
  })

/** That user as a part of a server's configuration, because the servers of tests have no place to store users. */
export const analystXml = (config: string, namespace: string): string =>
  `<users_config>${config}</users_config>
  <profiles><default/><analyst>
    ${settings.map(({ name, value }) => `<${name}>${value}</${name}>`).join('')}
    <constraints>${settings.map(({ bounds }) => bounds).join('')}</constraints>
  </analyst></profiles>
  <quotas><default/></quotas>
  <users>
    <default><password/><networks><ip>::/0</ip></networks><profile>default</profile><quota>default</quota></default>
    <analyst><password/><networks><ip>::/0</ip></networks><profile>analyst</profile><quota>default</quota><grants>
      <query>${grant!.replace('endcap.', `${namespace}.`).replace(' TO analyst', '')}</query>
    </grants></analyst>
  </users>`

/** Connects as that user, with no other settings than those of numbers in answers. */
export function connectAnalyst(url: string, database: string) {
  const log = { level: ClickHouseLogLevel.OFF }
  const client = createClient({ url, database, username: 'analyst', password: '', log })
  return {
    async query<Row extends object>(query: string): Promise<Row[]> {
      const clickhouse_settings = { output_format_json_quote_64bit_integers: 0 } as const
      return (await client.query({ query, format: 'JSONEachRow', clickhouse_settings })).json<Row>()
    },
    close: () => client.close(),
  }
}
