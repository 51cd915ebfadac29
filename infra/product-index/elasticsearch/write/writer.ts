import type { Client } from '@elastic/elasticsearch'
import type { ProductSignals } from '../../../../schemas/records/records.ts'
import { chunksOf } from '../../../../services/domain/chunks.ts'
import { IndexUnavailable, type IndexWrite } from '../../port.ts'
import { answeredSearch, type IndexNames } from '../client.ts'
import { documentKey, type ProductDocument, stateFields } from '../document.ts'
import { type Placed, routingOf } from '../placement.ts'
import { type BulkItem, bulk } from './bulk.ts'
import { changed, type DocumentChange, type Held, notHeld } from './changes.ts'

/** How many documents are read or written in one request. */
const DOCUMENTS_PER_REQUEST = 500
/** How many storing requests may be in progress while the next documents are prepared. */
const REQUESTS_AT_ONCE = 2
/** Attempts to change a document when other writers are faster. */
const CONFLICTS_MAX = 10
/** Ids in one lookup, and the most offers that it returns: each feed of the shop may have one offer per id. */
const IDS_PER_LOOKUP = 500
const OFFERS_PER_LOOKUP = 10_000

interface StoredSignals {
  signals: ProductSignals
}

interface Progress {
  /** Writes that were newer than what was stored. */
  applied: number
  /** Changes to read and apply again. */
  again: DocumentChange[]
  /** Offers without signals; their signals may have been stored before them. */
  withoutSignals: DocumentChange[]
}

export interface WriterDeps {
  client: Client
  names: IndexNames
  /** The indices of these names. */
  placed: Record<keyof IndexNames, Placed>
  now: () => number
}

/**
 * Writes parts of documents. A document is read, changed, and stored under the next version number. The index refuses it when
 * another writer was faster; then the document is read again. A part changes only to a newer version, so writers may overlap,
 * repeat writes and be late.
 *
 * Signals concern all offers of a shop with the same id, and may arrive before them, so they are also stored in their own index.
 * After an offer is stored, its signals are looked up; after signals are stored, their offers are. Whichever comes second sees the
 * other.
 */
export function createWriter({ client, names, placed, now }: WriterDeps) {
  /** Whether the last documents were all new. The next ones are then assumed to be new, too, and are not read first. */
  let allNew = true

  /** @returns how many writes were newer than what was stored. */
  async function apply(changes: readonly DocumentChange[]): Promise<number> {
    const progress: Progress = { applied: 0, again: [...changes], withoutSignals: [] }
    for (let tried = 0; progress.again.length > 0; tried++) {
      if (tried === CONFLICTS_MAX) throw new IndexUnavailable('Other writers change the same offers all the time')
      const chunks = [...chunksOf(progress.again, DOCUMENTS_PER_REQUEST)]
      progress.again = []
      await applyEach(chunks, allNew && tried === 0 ? guess : read, progress)
    }
    const signalled = await earlierSignals(progress.withoutSignals)
    if (signalled.length > 0) await apply(signalled)
    return progress.applied
  }

  /** Prepares each chunk while the previous one is stored and the next one is read. */
  async function applyEach(chunks: readonly DocumentChange[][], look: typeof read, progress: Progress): Promise<void> {
    const storing = new Set<Promise<void>>()
    let reading = look(chunks[0]!)
    for (const [at, chunk] of chunks.entries()) {
      const held = await reading
      const next = chunks[at + 1]
      if (next) reading = met(look(next))
      if (storing.size >= REQUESTS_AT_ONCE) await Promise.race(storing)
      const stored: Promise<void> = met(store(chunk, held, progress).finally(() => storing.delete(stored)))
      storing.add(stored)
    }
    await Promise.all(storing)
  }

  /** Assumes that all documents are new. One that exists after all causes a conflict, and is read at the next attempt. */
  const guess = async (changes: readonly DocumentChange[]): Promise<Held[]> => changes.map(notHeld)

  async function read(changes: readonly DocumentChange[]): Promise<Held[]> {
    const whole = changes.some((change) => change.whole)
    const held = await placed.products.use(async (placement) => {
      const { docs } = await client.mget<ProductDocument>({
        index: placement.index,
        docs: changes.map(({ key, shop }) => ({ _id: key, ...routingOf(placement, shop) })),
        ...(whole ? {} : { _source_includes: [...stateFields] }),
      })
      return docs.map((doc, at) => {
        if ('error' in doc) throw new IndexUnavailable(`${doc.error.type}: ${doc.error.reason}`)
        const unheld = notHeld(changes[at]!)
        // Documents that earlier versions of the program wrote lack some fields.
        return doc.found ? { version: doc._version!, document: { ...unheld.document, ...doc._source! } } : unheld
      })
    })
    allNew = held.every(({ version }) => version === 0)
    return held
  }

  async function store(changes: readonly DocumentChange[], held: readonly Held[], progress: Progress): Promise<void> {
    const items: BulkItem[] = []
    const stored: { change: DocumentChange; applied: number; signalsVersion: number }[] = []
    changes.forEach((change, at) => {
      const next = changed(change, held[at]!, now())
      if (next.kind === 'READ_WHOLE') progress.again.push({ ...change, whole: true })
      if (next.kind === 'UNCHANGED' && next.signalsVersion === 0) progress.withoutSignals.push(change)
      if (next.kind !== 'CHANGED') return
      const version = held[at]!.version + 1
      items.push({ key: change.key, shop: change.shop, version, body: JSON.stringify(next.document) })
      stored.push({ change, applied: next.applied, signalsVersion: next.document.signalsVersion })
    })
    const outcomes = await bulk(client, placed.products, items)
    stored.forEach(({ change, applied, signalsVersion }, at) => {
      if (outcomes[at] === 'CONFLICT') {
        progress.again.push(change)
        return
      }
      progress.applied += applied
      if (signalsVersion === 0) progress.withoutSignals.push(change)
    })
  }

  /**
   * Signals that were stored before their offers, as changes of the offers. Few offers have any, so one search for all of them
   * costs the server much less than a lookup for each. The refresh lets the search see what was stored before, and is free when
   * nothing was.
   */
  async function earlierSignals(changes: readonly DocumentChange[]): Promise<DocumentChange[]> {
    if (changes.length === 0) return []
    await client.indices.refresh({ index: names.signals })
    const signalled: DocumentChange[] = []
    for (const chunk of chunksOf(changes, IDS_PER_LOOKUP)) {
      const byKey = Map.groupBy(chunk, ({ shop, id }) => documentKey(shop, id))
      for (const { _id, _version, _source } of await storedSignals(chunk)) {
        const signals = { version: _version!, signals: _source!.signals }
        for (const change of byKey.get(_id!)!) signalled.push({ ...change, writes: [], signals, whole: true })
      }
    }
    return signalled
  }

  const storedSignals = (changes: readonly DocumentChange[]) =>
    placed.signals.use(async (placement) => {
      const together = Map.groupBy(changes, ({ shop }) => (placement.byShop ? shop : null))
      const searches = [...together.values()].flatMap((some) => {
        const keys = new Set(some.map(({ shop, id }) => documentKey(shop, id)))
        const query = { ids: { values: [...keys] } }
        return [
          routingOf(placement, some[0]!.shop),
          { query, size: keys.size, sort: ['_doc'], version: true, track_total_hits: false },
        ]
      })
      const { responses } = await client.msearch<StoredSignals>({ index: placement.index, searches })
      return responses.flatMap((response) => answeredSearch(response).hits.hits)
    })

  /** @returns how many were newer than the stored signals. */
  async function storeSignals(writes: readonly SignalsWrite[]): Promise<number> {
    const items = writes.map(({ version, signals }) => ({
      key: documentKey(signals.shopId, signals.id),
      shop: signals.shopId,
      version,
      body: JSON.stringify({ signals } satisfies StoredSignals),
    }))
    return (await bulk(client, placed.signals, items)).filter((outcome) => outcome === 'STORED').length
  }

  /** Writes signals into the existing offers. That includes signals stored before, because a crash may have come in between. */
  async function spreadSignals(writes: readonly SignalsWrite[]): Promise<void> {
    await client.indices.refresh({ index: names.products })
    for (const [shop, ofShop] of Map.groupBy(writes, ({ signals }) => signals.shopId)) {
      const latest = new Map<string, SignalsWrite>()
      for (const write of ofShop) {
        if (write.version > (latest.get(write.signals.id)?.version ?? 0)) latest.set(write.signals.id, write)
      }
      for (const ids of chunksOf([...latest.keys()], IDS_PER_LOOKUP)) {
        const { hits } = await placed.products.use((placement) =>
          client.search<Pick<ProductDocument, 'feed' | 'id'>>({
            index: placement.index,
            ...routingOf(placement, shop),
            query: { bool: { filter: [{ term: { shop } }, { terms: { id: ids } }] } },
            size: OFFERS_PER_LOOKUP,
            sort: ['_doc'],
            _source: ['feed', 'id'],
          }),
        )
        await apply(
          hits.hits.map(({ _id, _source }) => {
            const { feed, id } = _source!
            return { key: _id!, shop, feed, id, writes: [], signals: latest.get(id)!, whole: true }
          }),
        )
      }
    }
  }

  return async function write(writes: readonly IndexWrite[]): Promise<number> {
    const signals = writes.filter((write) => write.kind === 'signals')
    const newer = signals.length > 0 ? await storeSignals(signals) : 0
    const applied = await apply(changesOf(writes))
    if (signals.length > 0) await spreadSignals(signals)
    return newer + applied
  }
}

/** Returns the promise. Its rejection counts as handled until the promise is awaited. */
function met<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}

type SignalsWrite = Extract<IndexWrite, { kind: 'signals' }>

/** Groups the writes by document. */
function changesOf(writes: readonly IndexWrite[]): DocumentChange[] {
  const changes = new Map<string, DocumentChange>()
  for (const write of writes) {
    if (write.kind === 'signals') continue
    const { shopId: shop, feedId: feed, id } = write.kind === 'offer' ? write.offer : write
    const key = documentKey(shop, feed, id)
    const change = changes.get(key) ?? { key, shop, feed, id, writes: [], signals: null, whole: true }
    change.writes.push(write)
    if (write.kind !== 'promotions') change.whole = false
    changes.set(key, change)
  }
  return [...changes.values()]
}
