/** Settings of how ClickHouse plans statements. */
export const PLANNING = {
  /**
   * Tables are joined in the order in which a statement names them. ClickHouse would otherwise choose an order by how many rows the joins
   * of an earlier, similar statement had. After a small slice of a past, it has joined all touches with all lines by their product alone,
   * and only then by their person: it had not finished when it was killed after fifteen minutes. Of two tables it may still keep the
   * smaller one in memory, whichever is written first.
   */
  query_plan_optimize_join_order_limit: '1',
  /**
   * Otherwise columns are compared with constants that are compared with other columns. Statements here name themselves what narrows their
   * reading, and those of attribution take a tenth to a sixth longer to plan.
   */
  optimize_and_compare_chain: '0',
} as const
