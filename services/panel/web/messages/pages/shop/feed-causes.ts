import { catalogue } from '../../catalogue.ts'

/** Why a run rejected products or failed, and what to do. */
export const t = catalogue({
  // Which products are affected
  allProducts: 'All {total} products',
  someProducts: '{count} of {total} products',
  allPrices: 'All {total} prices',
  somePrices: '{count} of {total} prices',

  // Why products were rejected: `{who}` is one of the above
  otherCurrency: '{who} are in {value}, but the feed’s currency is {currency}',
  missingField: '{who} have no {value}',
  idTooLong: '{who} have an ID that is too long',
  duplicateId: '{who} have the ID of an earlier product in the file',
  invalidPrice: '{who} have a price that is 0 or cannot be read',
  ambiguousPrice: '{who} have a price that can be read in two ways, like 1.234',
  invalidAvailability: '{who} have an availability that is not accepted',
  invalidLink: '{who} have a link that is not a full web address',
  tooLarge: '{who} are too large',
  otherReason: '{who} have other errors',

  // What to do about it
  otherCurrencyHelp: 'If {value} is right, change the currency of the feed; the file is then read again.',
  otherCurrencyFileHelp: 'Correct these prices in the file, or put these products into a feed of their own in {value}.',
  missingFieldHelp: 'Add {value} to these products in the file: without it, a product cannot be advertised.',
  duplicateIdHelp: 'Give each product an ID of its own: of products with the same ID, only the first is accepted.',
  invalidPriceHelp: 'Write prices as a number above 0 and a currency: 12.50 {currency}.',
  availabilityHelp: 'Write in_stock, out_of_stock, preorder or backorder.',
  linkHelp: 'Write full web addresses that begin with https://.',
  fileHelp: 'Correct these products in the file. The list below names every line.',
  otherCauses: 'Also',
  changeCurrency: 'Change the feed’s currency to {currency}',
  currencyChanged: 'The currency of the feed is now {currency}. The feed is being read again.',
  currencyChangedUpload: 'The currency of the feed is now {currency}. Upload the file again.',
  uploadAfterwards: 'The uploaded file is no longer kept: upload it again after the change.',

  // Failures
  failedTitle: 'The run failed: no product was removed',
  accessDenied:
    'The server refuses access. Ask whoever runs the website to allow the user agent Endcap-Feed/1.0, or enter the user name and password for the address in Settings.',
  notFound: 'There is no file at the address. Check the address in Settings.',
  httpError:
    'The server returned an error. The feed is fetched again in an hour; if the error persists, tell whoever runs the website.',
  unreachable: 'The server cannot be reached. Check the address in Settings; the feed is fetched again in an hour.',
  interrupted:
    'The server ended the connection too early. Fetch the feed again; if it breaks off again, tell whoever runs the website, or upload the file.',
  tooSlow: 'The server sends the file too slowly. Tell whoever runs the website, or upload the file.',
  privateAddress: 'The address is inside a private network. Only the operator of this installation can allow that.',
  badAddress:
    'The address redirects in a circle, or to something that is not a web address. Enter the address of the file itself in Settings.',
  webPage:
    'The address shows a web page, such as a login or an error page. Enter the address of the XML file itself in Settings.',
  webPageUploaded: 'Upload the XML file itself, not the page of the website that shows or offers it.',
  notAFeed: 'The file contains no products. Check that it is the product feed that you send to Google.',
  malformed: 'The XML of the file is broken. Tell whoever creates the file which line it is.',
  encoding: 'Save the file as UTF-8.',
  compression: 'Send the file as plain XML or compressed with gzip.',
  fileTooLarge: 'The file is over a limit. Split it into several feeds.',
  contentGone: 'Upload the file again.',
  internal: 'This is not the fault of the file. Run the feed again; if it keeps failing, tell the operator.',

  // Currency of the shop
  shopCurrency: 'The feed’s currency is {currency}, the shop’s is {shopCurrency}',
  shopCurrencyHelp:
    'Ads show its prices in {currency}. Pages that ask for products in {shopCurrency} get none of them. Price limits of campaigns compare the numbers without converting. Bids and budgets stay in {shopCurrency}.',
})
