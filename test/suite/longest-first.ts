import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Starts with these files, given by the ends of their paths, in this order, so that a long file does not end alone. */
export function longestFirst(longest: readonly string[]): typeof BaseSequencer {
  const rankOf = ({ moduleId }: TestSpecification) => longest.findIndex((each) => moduleId.endsWith(each)) >>> 0
  return class LongestFirst extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      return files.toSorted((a, b) => rankOf(a) - rankOf(b))
    }
  }
}
