import { catalogue } from './catalogue.ts'

/** The frame around the pages: navigation, session, errors of whole pages. */
export const t = catalogue({
  pageFailed: 'This page has failed',
  pageFailedHelp: 'Load it again. If that does not help, tell the operator what you did.',
  loadAgain: 'Load again',
  notFound: 'Not found',
  nothingHere: 'There is nothing here',
  nothingHereHelp: 'The address is wrong, or what it showed has been deleted.',
  goHome: 'Go to Home',
  loading: 'Loading',
})
