import type { Readable } from 'node:stream'
import type { FastifyBaseLogger } from 'fastify'
import type { FeedRun, RegistryEntry } from '../../../../schemas/records/entities.ts'
import { Problem } from '../../../domain/errors.ts'
import type { Limits } from '../../../domain/limits.ts'
import type { Entity } from '../../../domain/snapshot.ts'
import { changed, created, type EntityChange, type Registry } from '../../resources/store.ts'
import type { FeedFiles } from '../source/files.ts'
import { UploadRoom } from '../source/upload-room.ts'
import { type ExecuteDeps, executeRun, FEEDS_ACCOUNT_ID } from './execute-run.ts'
import { FairQueue } from './fair-queue.ts'
import type { FeedRunner } from './job.ts'
import { confirmedRun, failedRun, isUnderWay, queuedRun, runsOf, runsOfFeed, runsUnderWay } from './run-state.ts'
import { checkQueueLimit, dueRuns, Freshness, ownerOf } from './schedule.ts'

const TICK_MS = 10_000
const CUT_SHORT = 'Interrupted by a restart of the server. The next run replaced it'

export interface FeedRunsDeps {
  registry: Registry
  runner: FeedRunner
  files: FeedFiles
  /** Time between two fetches of a feed. */
  intervalMs: number
  limits: Pick<
    Limits,
    'feedRunsAtOnce' | 'accountFeedRunsAtOnce' | 'accountFeedRunsWaiting' | 'feedUploadsMib' | 'shopFeedUploadsMib'
  >
  now: () => number
  uuid: () => string
  logger: Pick<FastifyBaseLogger, 'error'>
}

/** Decides when feeds run: when created, every hour, on request, and again after a restart. */
export interface FeedRuns {
  /** Resumes the runs that an earlier process left, and begins to fetch feeds that are due. @throws Problem; may then be called again. */
  start(): Promise<void>
  /** Queues a run that fetches the feed's url, or reads its kept upload again. @throws Problem CONFLICT, NOT_FOUND, RATE_LIMITED. */
  request(feedId: string, by: string): Promise<Entity<'FeedRun'>>
  /**
   * Stores the body durably, then queues a run that reads it. Whether a run may be queued is decided at the call.
   * @throws Problem as `request`, and TOO_LARGE, INVALID, UNAVAILABLE; RATE_LIMITED also when the shop's files have no more room.
   */
  upload(feedId: string, body: Readable, by: string): Promise<Entity<'FeedRun'>>
  /** Lets a held run make its removals. @throws Problem CONFLICT, NOT_FOUND. */
  confirm(runId: string, by: string): Promise<Entity<'FeedRun'>>
  /** Queues the feeds that are due; called every few seconds once started. */
  tick(): Promise<void>
  /** Stops runs in progress, which are resumed at the next start, and waits until they have stopped. */
  close(): Promise<void>
}

export function createFeedRuns(deps: FeedRunsDeps): FeedRuns {
  const { registry, runner, files, intervalMs, limits, now, uuid, logger } = deps
  const { snapshot } = registry
  const queue = new FairQueue({ atOnce: limits.feedRunsAtOnce, atOncePerOwner: limits.accountFeedRunsAtOnce })
  const stop = new AbortController()
  const freshness = new Freshness()
  const execution: ExecuteDeps = { registry, runner, files, freshness, now, logger, stopping: stop.signal }
  /** The runs that wait in the queue. */
  const enqueued = new Set<string>()
  /** Deleted feeds that could not be cleared. */
  let uncleared: Entity<'Feed'>[] = []
  /** Feeds whose content is being uploaded and has not been queued yet. */
  const receiving = new Set<string>()
  const room = new UploadRoom(limits)
  let timer: NodeJS.Timeout | null = null

  /** A run that is executed when it is no longer QUEUED does nothing, so it may be queued once more while it runs. */
  function enqueue(run: RegistryEntry): Entity<'FeedRun'> {
    const { id, body } = run as Entity<'FeedRun'>
    const execute = () => {
      enqueued.delete(id)
      return executeRun(execution, id).catch((err) =>
        logger.error({ err, runId: id }, 'A feed run was left unfinished'),
      )
    }
    if (!enqueued.has(id)) {
      enqueued.add(id)
      queue.add({ key: body.feedId, owner: ownerOf(snapshot, body.shopId), run: execute })
    }
    return run as Entity<'FeedRun'>
  }

  function needFeed(feedId: string): Entity<'Feed'> {
    const feed = snapshot.get('Feed', feedId)
    if (!feed) throw new Problem('NOT_FOUND', `There is no feed ${feedId}`)
    return feed
  }

  /** @throws Problem CONFLICT, NOT_FOUND, RATE_LIMITED when no further run of the feed may be queued. */
  function checkMayQueue(feedId: string, trigger: FeedRun['trigger']): void {
    const feed = needFeed(feedId)
    if (trigger === 'MANUAL' && feed.body.url === null && feed.body.keptUpload === null) {
      throw new Problem('CONFLICT', 'The feed has no url to fetch, and no uploaded file is kept: upload its content')
    }
    if (runsOf(snapshot, feedId).some((run) => run.body.status === 'QUEUED')) {
      throw new Problem('CONFLICT', 'A run of this feed is already queued')
    }
    checkQueueLimit(snapshot, feed, limits)
  }

  /** The change that queues a run. Must be called during a write of the registry, so that its checks still hold when it is stored. */
  function queueRun(feedId: string, trigger: FeedRun['trigger']): EntityChange[] {
    checkMayQueue(feedId, trigger)
    return [created('FeedRun', uuid(), queuedRun(needFeed(feedId), trigger, now()))]
  }

  /** Queues a run over a file that was received. Runs that were queued meanwhile do not refuse it: it is read after them. */
  async function queueReceived(feedId: string, runId: string, by: string): Promise<RegistryEntry> {
    const queued = () => [created('FeedRun', runId, queuedRun(needFeed(feedId), 'UPLOAD', now()))]
    try {
      const [run] = await registry.write(queued, { by })
      return run!
    } catch (error) {
      await files.remove(runId)
      throw error
    }
  }

  async function tick(): Promise<void> {
    const due = () => dueRuns(snapshot, { intervalMs, now: now(), limits })
    await registry.write(() => due().map((run) => created('FeedRun', uuid(), run)), { by: FEEDS_ACCOUNT_ID })
    // Not only those of this write: one that has failed for its caller may be stored all the same.
    for (const run of [...snapshot.under(runsUnderWay, 'QUEUED')]) enqueue(run)
    const again = uncleared
    uncleared = []
    again.forEach(clear)
  }

  /** Resumes runs after a start. Interrupted runs start again under another id, because they have already reported issues. */
  async function takeUp(): Promise<void> {
    const cutShort = [...snapshot.all('FeedRun')].filter((run) => run.body.status === 'RUNNING')
    for (const run of cutShort) {
      const again = uuid()
      // Only an upload is whole for certain. A download may have been cut off, and is fetched again.
      const isWhole = run.body.trigger === 'UPLOAD'
      if (isWhole && (await files.hasContent(run.id))) await files.share(run.id, again)
      await registry.write(() => resumption(run, again), { by: FEEDS_ACCOUNT_ID })
    }
    const all = [...snapshot.all('FeedRun')]
    const wanted = all.filter(({ body }) => body.status === 'QUEUED' || body.status === 'HELD')
    const kept = [...snapshot.all('Feed')].flatMap(({ body }) => body.keptUpload ?? [])
    await files.keepOnly(new Set([...wanted.map((run) => run.id), ...kept]))
    const queued = wanted.filter(({ body }) => body.status === 'QUEUED')
    for (const run of queued.sort((a, b) => a.body.queuedAt - b.body.queuedAt)) {
      room.note({ runId: run.id, shopId: run.body.shopId }, await files.contentBytes(run.id))
      enqueue(run)
    }
    for (const feed of snapshot.allEver('Feed')) if (feed.deletedAt !== null) clear(feed)
  }

  /** The run that starts again keeps its place in the queue: one that was queued after it may be of a newer upload. */
  function resumption(run: Entity<'FeedRun'>, again: string): EntityChange[] {
    const feed = snapshot.get('Feed', run.body.feedId)
    if (!feed)
      return [changed(run, failedRun(run.body, { failure: 'REPLACED', message: 'The feed was deleted', now: now() }))]
    return [
      changed(run, failedRun(run.body, { failure: 'REPLACED', message: CUT_SHORT, now: now() })),
      created('FeedRun', again, queuedRun(feed, run.body.trigger, run.body.queuedAt)),
    ]
  }

  /** Removes the files and offers of a deleted feed. After a failure, the next tick tries again. Every start repeats it. */
  function clear(feed: Entity<'Feed'>): void {
    const { id, body } = feed
    const { shopId, currency, lang, keptUpload } = body
    const job = { runId: `clear-${id}`, feed: { id, shopId, currency, lang }, contentPath: '', heldPath: '' }
    const removeOffers = async () => {
      const cancel = () => void runner.cancel(job.runId).catch(() => {})
      stop.signal.addEventListener('abort', cancel)
      try {
        if (keptUpload !== null) await files.remove(keptUpload)
        for (const run of runsOf(snapshot, id)) await files.remove(run.id)
        // Begun now, it could not be cancelled.
        stop.signal.throwIfAborted()
        const { status, message } = await runner.run({ ...job, task: { tag: 'REMOVE_ALL' } })
        if (status !== 'DONE') throw new Error(message ?? status)
        await registry.forget(() => runsOf(snapshot, id))
      } catch (err) {
        if (stop.signal.aborted) return
        logger.error({ err, feedId: id }, 'A deleted feed could not be cleared; will try again')
        uncleared.push(feed)
      } finally {
        stop.signal.removeEventListener('abort', cancel)
      }
    }
    queue.add({ key: id, owner: ownerOf(snapshot, shopId), run: removeOffers })
  }

  function onFeedChange(feed: Entity<'Feed'>, before: Entity<'Feed'> | undefined): void {
    if (feed.deletedAt !== null) {
      for (const run of snapshot.underEver(runsOfFeed, feed.id)) {
        if (run.body.status === 'RUNNING') void runner.cancel(run.id).catch(() => {})
      }
      clear(feed)
      return
    }
    const { url, currency, lang } = feed.body
    const same = before && before.body.url === url && before.body.currency === currency && before.body.lang === lang
    if (same) return
    freshness.lost(feed.id)
    if (url !== null && before?.body.url !== url) runNow(feed.id)
    else if (before && before.body.currency !== currency) void tickOrLog()
  }

  function runNow(feedId: string): void {
    registry
      .write(() => queueRun(feedId, 'SCHEDULE'), { by: FEEDS_ACCOUNT_ID })
      .then(
        ([run]) => enqueue(run!),
        // A queued run will fetch the new url; when the queue is full, the next tick queues the feed.
        (err) => err instanceof Problem || logger.error({ err, feedId }, 'A feed could not be queued'),
      )
  }

  function tickOrLog(): Promise<void> {
    return tick().catch((err) => logger.error({ err }, 'Feeds that are due could not be queued'))
  }

  return {
    async start() {
      await takeUp()
      snapshot.onChange((entry, before) => {
        if (entry.kind === 'FeedRun' && !isUnderWay(entry.body)) room.free(entry.id)
        if (entry.kind === 'Feed' && !stop.signal.aborted) onFeedChange(entry, before as Entity<'Feed'> | undefined)
      })
      await tickOrLog()
      timer = setInterval(tickOrLog, TICK_MS)
    },
    async request(feedId, by) {
      const [run] = await registry.write(() => queueRun(feedId, 'MANUAL'), { by })
      return enqueue(run!)
    },
    async upload(feedId, body, by) {
      const runId = uuid()
      const { shopId } = needFeed(feedId).body
      checkMayQueue(feedId, 'UPLOAD')
      if (receiving.has(feedId)) throw new Problem('CONFLICT', 'Another upload of this feed is in progress')
      receiving.add(feedId)
      try {
        await files.receive(runId, body, (bytes) => room.take({ runId, shopId }, bytes))
        return enqueue(await queueReceived(feedId, runId, by))
      } catch (error) {
        room.free(runId)
        throw error
      } finally {
        receiving.delete(feedId)
      }
    },
    async confirm(runId, by) {
      const [run] = await registry.write(
        () => {
          const held = snapshot.get('FeedRun', runId)
          if (!held) throw new Problem('NOT_FOUND', `There is no feed run ${runId}`)
          if (held.body.status !== 'HELD') throw new Problem('CONFLICT', `The run is ${held.body.status}, not HELD`)
          if (runsOf(snapshot, held.body.feedId).some((other) => isUnderWay(other.body))) {
            throw new Problem('CONFLICT', 'A later run of this feed is in progress')
          }
          return [changed(held, confirmedRun(held.body))]
        },
        { by },
      )
      return enqueue(run!)
    },
    tick,
    async close() {
      if (timer) clearInterval(timer)
      stop.abort()
      await queue.close()
    },
  }
}
