import type { Analytics } from '../../port.ts'

/** How many mutations of these tables are not done, according to the server that is asked, which knows only its own. */
export async function unfinishedMutationsOf(
  server: Pick<Analytics, 'query'>,
  tables: readonly string[],
): Promise<number> {
  const [found] = await server.query<{ unfinished: number }>(
    `SELECT toInt64(count()) AS unfinished FROM system.mutations
     WHERE database = currentDatabase() AND NOT is_done AND table IN {tables:Array(String)}`,
    { tables },
  )
  return found!.unfinished
}
