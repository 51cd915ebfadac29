import { once } from 'node:events'
import { createServer } from 'node:http'

export const CLIENT = { id: 'endcap', secret: 'client:secret+1' }

export interface TokenTerms {
  lifeSeconds: number
  /** The scope that a client must request. */
  scope: string | null
  /** Issues tokens that have expired. */
  stale: boolean
  /** Answers only 503. */
  away: boolean
}

/** A server that gives CLIENT tokens of the kind that a Kafka broker accepts without a key of the issuer. */
export async function startTokenEndpoint() {
  const terms: TokenTerms = { lifeSeconds: 3_600, scope: null, stale: false, away: false }
  const issued: string[] = []
  const server = createServer(async (request, response) => {
    const answer = (status: number, body: object) => response.writeHead(status).end(JSON.stringify(body))
    let text = ''
    for await (const part of request) text += part
    const body = new URLSearchParams(text)
    const given = Buffer.from(String(request.headers.authorization).slice('Basic '.length), 'base64').toString()
    const [id, secret] = given.split(':').map(decodeURIComponent)
    if (terms.away) answer(503, { error: 'temporarily_unavailable' })
    else if (body.get('grant_type') !== 'client_credentials') answer(400, { error: 'unsupported_grant_type' })
    else if (id !== CLIENT.id || secret !== CLIENT.secret) answer(401, { error: 'invalid_client', hint: given })
    else if (body.get('scope') !== terms.scope) answer(400, { error: 'invalid_scope' })
    else {
      const begins = Math.floor(Date.now() / 1_000) - (terms.stale ? 10_000 : 0)
      const token = unsecured({ sub: id, iat: begins, exp: begins + terms.lifeSeconds })
      issued.push(token)
      answer(200, { access_token: token, token_type: 'Bearer', expires_in: terms.lifeSeconds })
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}/token`,
    terms,
    issued,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** A JSON Web Signature without a signature (RFC 7515, appendix A.5). */
function unsecured(claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${part({ alg: 'none' })}.${part(claims)}.`
}
