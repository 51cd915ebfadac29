import type { Counters } from '../../../infra/counters/port.ts'
import { connectRedis } from '../../../infra/counters/redis/counters.ts'
import { SHARDS } from '../../ports/counters.fixtures.ts'
import { countersSuite } from '../../ports/counters.suite.ts'
import { testNamespace } from '../addresses.ts'

/** Runs the counters' suite on a Redis of the form that its address names. @returns a function that opens counters there. */
export function countersSuiteOn(urlOf: () => string): (namespace: string) => Counters {
  const namespaces = new WeakMap<Counters, string>()
  const openIn = (namespace: string) => {
    const counters = connectRedis({ url: urlOf(), namespace, shards: SHARDS })
    namespaces.set(counters, namespace)
    return counters
  }
  countersSuite({
    open: async () => openIn(testNamespace()),
    another: async (counters) => openIn(namespaces.get(counters)!),
    async reopen(counters) {
      await counters.close()
      return openIn(namespaces.get(counters)!)
    },
    async dispose(counters) {
      await counters.clear()
      await counters.close()
    },
  })
  return openIn
}
