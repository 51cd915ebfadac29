import type { EventLog } from '../../infra/event-log/port.ts'
import type { IndexBuild, IndexBuilds, IndexFill, ProductIndex } from '../../infra/product-index/port.ts'
import { IndexUnavailable } from '../../infra/product-index/port.ts'
import type { TopicName } from '../../schemas/topics.ts'
import { readPages } from '../runtime/pages.ts'
import { decodeBatch } from '../runtime/pipeline/outcome.ts'
import type { StreamStep } from '../runtime/pipeline/pipeline.ts'
import type { IndexerProgress } from './indexer-step.ts'

/** `registry` is not among them: the campaigns that promote an offer are derived from the current registry. */
const FILLED_FROM = ['products', 'product-signals'] as const satisfies TopicName[]
const NOTE_EVERY_MS = 1_000

export interface IndexBuilderDeps {
  log: EventLog
  builds: IndexBuilds
  /** Makes the indexer's step for an index, with its own progress. */
  stepOn: (index: ProductIndex, progress: IndexerProgress) => StreamStep
  /** The indexer's progress, which grows with each batch. */
  progress: IndexerProgress
  /** A name that no other run of the indexer has. */
  runId: string
  now: () => number
}

export type IndexBuilder = ReturnType<typeof createIndexBuilder>

interface Target {
  build: IndexBuild
  step: StreamStep
  /** Null when the fill is complete. */
  fill: Fill | null
}

/**
 * Fills a new index next to the serving one, when a build was begun or when no index serves. Everything that the indexer had processed
 * when the fill began is replayed into it, page by page. Each later batch of the indexer is applied to it as well. The versions of
 * writes decide which one counts, so their order does not matter, and a complete new index is never behind the serving one.
 *
 * Its methods must be called one at a time, and never during a step of the indexer: when an offer and a campaign change at the
 * same moment, the second change must see the first.
 */
export function createIndexBuilder({ log, builds, stepOn, progress, runId, now }: IndexBuilderDeps) {
  let target: Target | null = null
  let serving = true
  let notedAt = 0

  async function look(): Promise<void> {
    const seen = await builds.look()
    serving = seen.serving
    const build = seen.build ?? (serving ? null : await builds.begin())
    if (build === null) target = null
    else if (target?.build.id !== build.id) target = await aimAt(build)
  }

  /** A fill that another run left begins again, because nobody knows how far it came. A complete index has every committed batch. */
  async function aimAt(build: IndexBuild): Promise<Target> {
    const step = stepOn(build.index, new Map(progress))
    if (build.fill.complete) return { build, step, fill: null }
    const fill = await beginFill(log, stepOn(build.index, new Map()), progress)
    await note(build, fill, false)
    return { build, step, fill }
  }

  async function note(build: IndexBuild, { done, of }: Pick<IndexFill, 'of'> & { done: number }, complete: boolean) {
    await build.note({ by: runId, records: done, of, complete })
    notedAt = now()
  }

  async function fillFurther({ build, fill }: Target): Promise<boolean> {
    if (fill !== null) {
      if (await fill.nextPage()) {
        if (now() - notedAt >= NOTE_EVERY_MS) await note(build, fill, false)
        return true
      }
      await build.index.refresh()
      await note(build, fill, true)
    }
    target = { ...target!, fill: null }
    if (!serving) await build.serve()
    return false
  }

  return {
    /** Applies a batch of the indexer to the new index, after it was applied to the serving one. */
    async step(batch: Parameters<StreamStep>[0]): Promise<void> {
      if (target === null) return
      try {
        await target.step(batch)
      } catch (error) {
        if (!(error instanceof IndexUnavailable)) throw error
        // The new index may have begun to serve in the meantime, or been dropped.
        const { id } = target.build
        await look()
        if ((target as Target | null)?.build.id === id) throw error
      }
    },
    look,
    isFilling: () => target !== null && target.fill !== null,
    /** Looks for a new index and writes a page into it. @returns whether there is more to write. */
    async turn(): Promise<boolean> {
      if (!target?.fill || now() - notedAt >= NOTE_EVERY_MS) await look()
      return target !== null && fillFurther(target)
    },
  }
}

interface Fill {
  /** Records replayed so far. */
  readonly done: number
  /** Records to replay in all. */
  readonly of: number
  /** Replays the next page. @returns false at the end. */
  nextPage(): Promise<boolean>
}

interface Range {
  topic: TopicName
  partition: number
  from: number
  to: number
}

/** Replays the records that the indexer has processed; it brings later ones itself. A page that fails is replayed again. */
async function beginFill(log: EventLog, step: StreamStep, progress: IndexerProgress): Promise<Fill> {
  /** The ranges that are left to replay. */
  const ranges: Range[] = []
  let of = 0
  for (const topic of FILLED_FROM) {
    for (const { partition, start } of await log.bounds(topic)) {
      const to = progress.get(`${topic}/${partition}`) ?? start
      ranges.push({ topic, partition, from: start, to })
      of += await log.count(topic, partition, start, to)
    }
  }
  let done = 0

  return {
    get done() {
      return done
    },
    of,
    async nextPage() {
      for (let range = ranges[0]; range; range = ranges[0]) {
        const { topic, partition } = range
        const { value: page } = await readPages(log, topic, partition, range).next()
        if (page) {
          const { records } = decodeBatch<unknown>({ topic, partition, records: page })
          const lastOffset = page.at(-1)!.offset
          if (records.length > 0) await step({ topic, partition, records, turn: async () => null, lastOffset })
          done += page.length
          range.from = lastOffset + 1
          return true
        }
        ranges.shift()
      }
      return false
    },
  }
}
