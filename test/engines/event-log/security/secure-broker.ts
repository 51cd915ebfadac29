import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { type Certificates, STORE_PASSWORD } from './certificates.ts'

/** The listeners of the broker, each on its own port. */
const LISTENERS = {
  CONTROLLER: 'PLAINTEXT',
  INTERNAL: 'PLAINTEXT',
  TLS: 'SSL',
  MUTUAL: 'SSL',
  EXPIRED: 'SSL',
  PLAIN: 'SASL_SSL',
  SCRAM: 'SASL_PLAINTEXT',
  OAUTH: 'SASL_PLAINTEXT',
} as const
export type Listener = keyof typeof LISTENERS
const names = Object.keys(LISTENERS) as Listener[]

export const USER = { username: 'endcap', password: 'right-password' }
/** Users who may do only what they are granted. All other users may do anything. */
export const RESTRICTED = ['restricted', 'lesser'].map((username) => ({ username, password: USER.password }))
const LOGIN = 'org.apache.kafka.common.security'
const libraries = join(import.meta.dirname, '../../../../.engines/kafka/libs')
/** The options of infra/local/engines.sh for engines that live for minutes, with the class archive that it makes, if there is one. */
const JAVA_OPTIONS = [
  '-Xmx384m',
  '-XX:+UseSerialGC',
  '-XX:TieredStopAtLevel=1',
  `-XX:SharedArchiveFile=${libraries}/classes.jsa`,
]
const classes = `${libraries}/*`

export interface SecureBroker {
  /** host:port of a listener. */
  at(listener: Listener): string
  stop(): Promise<void>
}

/** Starts one broker with every kind of access control that Kafka has. */
export async function startSecureBroker(folder: string, certificates: Certificates): Promise<SecureBroker> {
  const ports = await freePorts(names.length)
  const at = (listener: Listener) => `127.0.0.1:${ports[names.indexOf(listener)]}`
  const properties = join(folder, 'server.properties')
  writeFileSync(properties, propertiesOf(folder, certificates, at))
  const users = ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((mechanism) =>
    [USER, ...RESTRICTED].flatMap(({ username, password }) => [
      '--add-scram',
      `${mechanism}=[name=${username},password=${password}]`,
    ]),
  )
  const format = ['kafka.tools.StorageTool', 'format', '-t', 'dGVzdC1zZWN1cml0eS1pZA', '-c', properties, ...users]
  execFileSync('java', [...JAVA_OPTIONS, '-cp', classes, ...format], { stdio: 'pipe' })

  const log = openSync(join(folder, 'log'), 'w')
  const broker = spawn('java', [...JAVA_OPTIONS, '-cp', classes, 'kafka.Kafka', properties], {
    stdio: ['ignore', log, log],
  })
  const ended = once(broker, 'exit')
  let running = true
  void ended.then(() => {
    running = false
  })
  while (!readFileSync(join(folder, 'log'), 'utf8').includes('Kafka Server started')) {
    if (!running) throw new Error(readFileSync(join(folder, 'log'), 'utf8').slice(-4_000))
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return {
    at,
    async stop() {
      broker.kill('SIGKILL')
      await ended
    },
  }
}

function propertiesOf(folder: string, { path }: Certificates, at: (listener: Listener) => string): string {
  const addresses = (of: readonly Listener[]) => of.map((name) => `${name}://${at(name)}`).join(',')
  const jaas = (listener: string, mechanism: string, module: string) =>
    `listener.name.${listener}.${mechanism}.sasl.jaas.config=${LOGIN}.${module} required`
  const store = (listener: string, name: string) => [
    `listener.name.${listener}.ssl.keystore.type=PKCS12`,
    `listener.name.${listener}.ssl.keystore.location=${path(`${name}.p12`)}`,
    `listener.name.${listener}.ssl.keystore.password=${STORE_PASSWORD}`,
    `listener.name.${listener}.ssl.key.password=${STORE_PASSWORD}`,
  ]
  return [
    'process.roles=broker,controller',
    'node.id=1',
    'controller.listener.names=CONTROLLER',
    'inter.broker.listener.name=INTERNAL',
    `controller.quorum.voters=1@${at('CONTROLLER')}`,
    `listeners=${addresses(names)}`,
    `advertised.listeners=${addresses(names.filter((name) => name !== 'CONTROLLER'))}`,
    `listener.security.protocol.map=${names.map((name) => `${name}:${LISTENERS[name]}`).join(',')}`,
    `log.dirs=${join(folder, 'data')}`,
    'offsets.topic.replication.factor=1',
    'offsets.topic.num.partitions=1',
    'transaction.state.log.replication.factor=1',
    'transaction.state.log.min.isr=1',
    'transaction.state.log.num.partitions=1',
    'group.initial.rebalance.delay.ms=0',
    'auto.create.topics.enable=false',
    'authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer',
    `super.users=${['ANONYMOUS', USER.username, 'CN=client'].map((name) => `User:${name}`).join(';')}`,
    ...store('tls', 'broker'),
    ...store('plain', 'broker'),
    ...store('expired', 'expired-broker'),
    ...store('mutual', 'broker'),
    'listener.name.mutual.ssl.client.auth=required',
    'listener.name.mutual.ssl.truststore.type=PKCS12',
    `listener.name.mutual.ssl.truststore.location=${path('trust.p12')}`,
    `listener.name.mutual.ssl.truststore.password=${STORE_PASSWORD}`,
    'listener.name.plain.sasl.enabled.mechanisms=PLAIN',
    `${jaas('plain', 'plain', 'plain.PlainLoginModule')} user_${USER.username}="${USER.password}";`,
    'listener.name.scram.sasl.enabled.mechanisms=SCRAM-SHA-256,SCRAM-SHA-512',
    `${jaas('scram', 'scram-sha-256', 'scram.ScramLoginModule')};`,
    `${jaas('scram', 'scram-sha-512', 'scram.ScramLoginModule')};`,
    'listener.name.oauth.sasl.enabled.mechanisms=OAUTHBEARER',
    `${jaas('oauth', 'oauthbearer', 'oauthbearer.OAuthBearerLoginModule')} unsecuredLoginStringClaim_sub="broker";`,
    // A connection ends when its token expires.
    'listener.name.oauth.oauthbearer.connections.max.reauth.ms=3600000',
  ].join('\n')
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const ports = servers.map((server) => (server.address() as { port: number }).port)
  for (const server of servers) server.close()
  return ports
}
