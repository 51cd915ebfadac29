/**
 * Settings with which ClickHouse joins the tables of a statement in the order in which they are written. It would otherwise choose an
 * order by how many rows the joins of an earlier, similar statement had. After a small slice of a past, it has joined all touches with all
 * lines by their product alone, and only then by their person: it had not finished when it was killed after fifteen minutes. Of two
 * tables it may still keep the smaller one in memory, whichever is written first.
 */
export const JOINS_AS_WRITTEN = { query_plan_optimize_join_order_limit: '1' } as const
