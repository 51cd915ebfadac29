import { OperatorError } from '../../../services/domain/errors.ts'
import { listOf } from '../../settings.ts'
import { type ElasticsearchOptions, openClient, SEARCH_TIMEOUT_MS } from './client.ts'

/** What a node tells before it has joined a cluster. */
const NO_CLUSTER = '_na_'

/** The addresses lead to several clusters. Each would get a part of the offers, since nodes take turns. */
export class DifferentClusters extends OperatorError {
  override readonly name = 'DifferentClusters'
}

/**
 * Refuses nodes of different clusters. Nodes that do not answer are skipped, and so are those that do not tell this caller their
 * cluster.
 */
export async function refuseOtherClusters({
  url,
  apiKey,
}: Pick<ElasticsearchOptions, 'url' | 'apiKey'>): Promise<void> {
  const nodes = listOf(url)
  if (nodes.length === 1) return
  const asked = await Promise.allSettled(nodes.map((node) => clusterOf({ url: node, apiKey: apiKey ?? null })))
  const told = nodes.flatMap((node, i) => {
    const found = asked[i]!
    return found.status === 'fulfilled' && found.value !== NO_CLUSTER ? [{ node, cluster: found.value }] : []
  })
  const other = told.find(({ cluster }) => cluster !== told[0]!.cluster)
  if (other === undefined) return
  const [one, two] = [told[0]!, other].map(({ node }) => new URL(node).host)
  throw new DifferentClusters(
    `ELASTICSEARCH_URL must name nodes of one cluster: ${one} and ${two} are of different ones`,
  )
}

async function clusterOf(options: Pick<ElasticsearchOptions, 'url' | 'apiKey'>): Promise<string> {
  const client = openClient(options, SEARCH_TIMEOUT_MS)
  try {
    return (await client.info()).cluster_uuid
  } finally {
    await client.close()
  }
}
