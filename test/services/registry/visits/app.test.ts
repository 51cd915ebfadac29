import { visitsSuite } from './visits.suite.ts'

visitsSuite()
