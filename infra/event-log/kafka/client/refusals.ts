import { isOfSilentServer } from './errors.ts'

const NO_TLS = 'the broker does not speak TLS on this port: check KAFKA_TLS and the port'

/** What the operator is told about an error code of Node's TLS. */
const TLS_CODES: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "the broker's certificate has expired",
  CERT_NOT_YET_VALID: "the broker's certificate is not valid yet",
  ERR_TLS_CERT_ALTNAME_INVALID: "the broker's certificate is for another name than that of KAFKA_BROKERS",
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
}
const UNTRUSTED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])
/** The alerts by which a server refuses the certificate of a client. */
const CERTIFICATE_REFUSED = /alert (bad certificate|certificate \w+|unknown ca|handshake failure)/

/** In the error of a socket that the server ends in the middle of the handshake, without an alert. */
const HANDSHAKE_ENDED = 'before secure TLS connection was established'
/** The settings to check, by the type of the error in Kafka's protocol, or by its name in kafkajs. */
const TO_CHECK: Readonly<Record<string, string>> = {
  KafkaJSSASLAuthenticationError: 'KAFKA_SASL_MECHANISM, KAFKA_USERNAME and KAFKA_PASSWORD',
  UNSUPPORTED_SASL_MECHANISM: 'KAFKA_SASL_MECHANISM',
  // The client signs in to a listener that asks nobody to.
  ILLEGAL_SASL_STATE: 'the port in KAFKA_BROKERS and whether KAFKA_USERNAME belongs there',
  INVALID_REPLICATION_FACTOR: 'KAFKA_REPLICATION_FACTOR, which cannot be more than there are brokers',
}

/** An error of Kafka in words that name the setting to look at, where there is one; never the value of a setting. */
export function meaningOf(error: Error): string {
  const { code, type, name, message, errors } = error as KafkaError
  if (errors?.[0]) return meaningOf(errors[0])
  if (typeof code === 'string') {
    const meaning = TLS_CODES[code]
    if (meaning) return meaning
    if (UNTRUSTED.has(code)) {
      return "the broker's certificate comes from an authority that is not trusted: check KAFKA_TLS_CA_FILE"
    }
  }
  const refusal = CERTIFICATE_REFUSED.exec(message)
  if (refusal) {
    return `the broker refuses this client's certificate (${refusal[1]}): check KAFKA_TLS_CERT_FILE and KAFKA_TLS_KEY_FILE`
  }
  if (message.includes(HANDSHAKE_ENDED)) return NO_TLS
  if (name === 'KafkaJSConnectionClosedError') {
    return `${message}; if this persists, the server expects TLS or is not Kafka: check KAFKA_TLS and KAFKA_BROKERS`
  }
  if (isOfSilentServer(error))
    return 'a server has accepted the connection, but does not answer as Kafka does: check KAFKA_BROKERS'
  const toCheck = TO_CHECK[type ?? name]
  return toCheck === undefined ? message : `${message}: check ${toCheck}`
}

interface KafkaError extends Error {
  /** Node's code, in the error of a socket. */
  code?: unknown
  type?: string
  /** One for each topic, in the error of a request for several topics. */
  errors?: Error[]
}
