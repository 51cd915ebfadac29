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
  tryAgain: 'Try again',
  noConnection: 'No connection to the server',
  serverError: 'The server answered with an error ({status}). Try again; if it stays, tell the operator.',
  notLoaded: 'This could not be loaded',
  loadsByItself: 'It loads by itself once the server answers.',
  away: 'No connection to the server.',
  awayShownFrom: 'No connection to the server. Shown data is from {time} ({ago}).',
  codeAway: 'No connection to the server',
  codeAwayHelp: 'This could not be loaded. It loads by itself once the server answers.',
  codeOutdated: 'This part of the panel could not be loaded',
  codeOutdatedHelp:
    'A new version has probably been installed. Save what you have typed, then load the panel again to go on with it.',
  notSaved: 'Not saved',
  notSavedAway: 'No connection to the server. What you have entered stays here: save it again once the server answers.',
})
