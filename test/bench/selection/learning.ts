/**
 * What learning from clicks brings to a simulated shop: clicks per request, against a shop that learns nothing and against one that
 * knows its shoppers' preferences.
 *
 *     node test/bench/selection/learning.ts [seeds]
 */
import { clicksPerRequest, type Learning } from '../../streams/phrase-lifts/simulated-shop.ts'

const seeds = Number(process.argv[2] ?? 10)
const DAYS = 20

for (const requestsPerDay of [300, 2_000, 8_000]) {
  for (const preference of [0, 0.5]) {
    const mean = (learning: Learning) =>
      Array.from({ length: seeds }, (_, seed) =>
        clicksPerRequest({ seed, requestsPerDay, days: DAYS, preference }, learning),
      ).reduce((sum, each) => sum + each / seeds, 0)
    const [none, model, oracle] = (['NONE', 'MODEL', 'ORACLE'] as const).map(mean)
    const figures = [model! / none!, oracle! / none!].map((ratio) => ratio.toFixed(3))
    console.log(
      `${requestsPerDay} requests a day, preferences ${preference}: ${figures[0]} of a shop that learns nothing, at best ${figures[1]}`,
    )
  }
}
