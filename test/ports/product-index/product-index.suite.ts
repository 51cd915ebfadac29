import { filtersSuite } from './filters.suite.ts'
import { fitSuite } from './fit.suite.ts'
import { rankingSuite } from './ranking.suite.ts'
import { readingSuite } from './reading.suite.ts'
import { revisionSuite } from './revision.suite.ts'
import { versionsSuite } from './versions.suite.ts'
import { visibilitySuite } from './visibility.suite.ts'
import { openIndexWorld, type ProductIndexSubject } from './world.ts'

/** What every implementation of ProductIndex promises. */
export function productIndexSuite(subject: ProductIndexSubject): void {
  const world = openIndexWorld(subject)
  versionsSuite(world)
  visibilitySuite(world)
  filtersSuite(world)
  fitSuite(world)
  rankingSuite(world)
  readingSuite(world)
  revisionSuite(world)
}
