import { catalogue } from '../catalogue.ts'

/** Texts for ad units: their page, the code for a shop's pages and servers, their figures. */
export const t = catalogue({
  tryIt: 'Try it',
  code: 'Code',
  figures: 'Figures',
  settings: 'Settings',
  views: 'Views',

  // Whether the code works
  waiting: 'Waiting for the first request…',
  waitingHelp: 'Put the code on a page and open it. This message updates within seconds.',
  received: 'First request received {time}',
  receivedHelp: 'The page requests ads. Open the request to see what it got.',
  lastRequest: 'Receiving requests, the latest: {time}',
  notChecked: 'Requests could not be checked just now',
  openRequests: 'See its ad requests',

  // Examples
  script: 'Script tag',
  scriptHelp:
    'Requests ads, shows them, and reports views and clicks automatically. Put it where the ads should appear. Report purchases by the last of the calls below.',
  browser: 'Calls from the browser',
  browserHelp:
    'For pages that render the ads themselves: request ads, then report the view, the click and the purchase.',
  node: 'Node.js',
  php: 'PHP',
  python: 'Python',
  server: 'Calls from a server',
  serverHelp:
    'The same four calls. The server sends an <tokens>API token</tokens> with the scope “events”, from ENDCAP_TOKEN, and passes on the shopper’s IP address and user agent.',
  clientId:
    'The client ID (cid) identifies a browser. The script tag keeps it in localStorage, as endcap-cid. Send the same one with every call, also from a server, so that sales can be attributed.',
  documentation: 'All parameters and responses: <reference>API reference</reference>',
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
