import { mkdirSync } from 'node:fs'
import type { MessagePort } from 'node:worker_threads'
import { connect } from '../../threads/calls.ts'
import { type Served, soleClient, startWorker } from '../../threads/worker.ts'
import { type Counters, CountersBehind, CountersMoved, CountersUnavailable } from '../port.ts'
import { packChange, packLoad } from './packed.ts'

export interface EmbeddedCountersOptions {
  folder: string
  shards: number
}

/**
 * Starts the thread that holds the counters of `folder`, in one SQLite file. Only one may run for a folder.
 * @throws when the folder is in use or cannot be written.
 */
export async function startEmbeddedCounters({ folder, shards }: EmbeddedCountersOptions): Promise<Served> {
  mkdirSync(folder, { recursive: true })
  return startWorker('counters', new URL('./worker.ts', import.meta.url), { folder, shards })
}

/** The counters behind a port of `startEmbeddedCounters`, for any thread. */
export function countersClient(port: MessagePort, shards: number): Counters {
  const remote = connect(
    port,
    { CountersUnavailable, CountersBehind, CountersMoved },
    () => new CountersUnavailable('The counters have been closed'),
  )
  return {
    shards,
    load: (loads) => remote.call('load', [loads.map(packLoad)]),
    store: (change) => remote.call('store', [packChange(change)]),
    read: (keys) => remote.call('read', [keys]),
    positions: (sources) => remote.call('positions', [sources]),
    complete: () => remote.call('complete', []),
    markComplete: (shard) => remote.call('markComplete', [shard]),
    raiseWatermark: (at) => remote.call('raiseWatermark', [at]),
    watermark: () => remote.call('watermark', []),
    reserve: (reservations) => remote.call('reserve', [reservations]),
    agree: (name, proposed, ttlMs) => remote.call('agree', [name, proposed, ttlMs]),
    clear: () => remote.call('clear', []),
    async close() {
      remote.close()
    },
  }
}

/** The counters of `folder` for a single client; closing them stops the thread. */
export async function openEmbeddedCounters(options: EmbeddedCountersOptions): Promise<Counters> {
  const served = await startEmbeddedCounters(options)
  return soleClient(served, countersClient(served.connect(), options.shards))
}
