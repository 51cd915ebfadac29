import { catalogue } from '../../catalogue.ts'

/** What a shop's search understands. */
export const t = catalogue({
  search: 'Search',
  searchHelp: 'How the shop’s ads understand what shoppers search for.',

  // Synonyms
  synonyms: 'Synonyms',
  synonymsHelp:
    'Words and phrases that mean the same to your shoppers. Products with what was typed come first. Changes take effect within seconds.',
  rules: '{count, plural, =0 {No synonyms are saved.} one {# line is saved.} other {# lines are saved.}}',
  lines: 'One rule per line',
  linesHelp:
    'sofa, couch: each finds the other. sneaker => trainers, running shoes: the left side also finds the right side. A line that begins with # is a comment.',
  words: 'Words or phrases',
  wordsHelp: 'Separated by commas',
  wordsExample: 'sofa, couch',
  finds: 'Also find (one way)',
  findsHelp: 'If empty, the words find each other.',
  findsExample: 'settee',
  add: 'Add line',
  save: 'Save synonyms',
  saved: 'Synonyms saved',
  linesOfOthers: 'Someone else has saved synonyms meanwhile. Their lines are among yours now: check them, then save.',
  undo: 'Undo changes',
  download: 'Download',
  upload: 'Upload',
  uploadHelp: 'Replaces the lines below with those of a text file in the format of Solr or Elasticsearch',
  tooLong: 'The file is too long: at most {max} characters can be saved.',

  // Preview
  preview: 'Preview',
  previewHelp:
    'The available products that a search finds with the saved synonyms (before) and with those above (after).',
  phrase: 'Search phrase',
  phraseHelp: 'The words of changed lines are tried too, and so are the searches below that they change.',
  nothingToShow: 'Change a line, or enter a phrase.',
  previewOf: 'Products found by each search',
  before: 'Before',
  after: 'After',
  found: '{count, plural, =0 {No products} one {# product} other {# products}}',
  foundMore: 'More than {count} products',
  same: 'No change',
  isNew: 'New',
  isGone: 'Gone',
  previewWaits: 'Creating the preview…',

  // Searches without results
  emptySearches: 'Searches without results',
  emptySearchesHelp:
    'What at least two people searched for in the last 30 days when no ad unit had a product to show. New searches appear within seconds.',
  noEmptySearches: 'No searches without results',
  noEmptySearchesHelp: 'Searches appear here when your ads have no product for them.',
  people: 'People',
  searches: 'Searches',
  last: 'Last',
  catalogue: 'In the catalogue',
  hasNone: 'No products',
  hasSome: 'Products, but none advertised',
  unknown: 'Not known at the moment',
  spelling: 'Nearest spelling',
  actions: 'Actions',
  makeSynonym: 'Add a synonym',
  makeSynonymOf: 'Add a synonym of {phrase}',
})
