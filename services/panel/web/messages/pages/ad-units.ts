import { catalogue } from '../catalogue.ts'

/** Texts for ad units: their page, the code for a shop's pages and servers, their figures. */
export const t = catalogue({
  tryIt: 'Try it',
  code: 'Code',
  figures: 'Figures',
  settings: 'Settings',
  views: 'Views',

  // Whether the code works
  waiting: 'Waiting for the first request …',
  waitingHelp: 'Put the code on a page and open it. This turns by itself within seconds.',
  received: 'First request received {time}',
  receivedHelp: 'The page asks for ads. Open the request to see what it got.',
  lastRequest: 'Receives requests, the last one {time}',
  notChecked: 'Requests could not be checked just now',
  openRequests: 'See its ad requests',

  // Examples
  script: 'Script tag',
  scriptHelp: 'Asks for ads, shows them, and reports views and clicks by itself. Put it where the ads shall stand.',
  browser: 'Calls from the browser',
  browserHelp: 'When the page draws the ads itself: ask for ads, then report the view, the click and the purchase.',
  node: 'Node.js',
  php: 'PHP',
  python: 'Python',
  server: 'Calls from a server',
  serverHelp:
    'The same four calls. A server sends an <tokens>API token</tokens> with the scope “events”, in ENDCAP_TOKEN, and passes the shopper’s address and user agent on.',
  clientId:
    'The client ID (cid) is the shopper: keep one in a cookie of your own and send the same with every call, so that sales are attributed.',
  documentation: 'All parameters and answers: <reference>API reference</reference>',
  copy: 'Copy',
  copied: 'Copied',
  copyWhat: 'Copy {what}',
  codeOf: 'Code: {what}',
  needs: 'What a request needs',

  // Figures
  last28Days: 'Last 28 days',
  requests: 'Requests',
  requestsHint: 'for this ad unit',
  clicks: 'Clicks',
  ctr: 'CTR',
  ctrHint: 'clicks ÷ views',
  spend: 'Spend',
  sales: 'Sales',
  salesHint: 'attributed to its ads',
  roas: 'ROAS',
  openReport: 'Open in Reports',
})
