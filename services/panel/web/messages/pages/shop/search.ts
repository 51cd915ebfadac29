import { catalogue } from '../../catalogue.ts'

/** What a shop's search understands. */
export const t = catalogue({
  search: 'Search',
  searchHelp: 'How the shop’s ads understand what shoppers search for.',

  // Synonyms
  synonyms: 'Synonyms',
  synonymsHelp:
    'Names that mean the same to your shoppers. Products with the name that was typed come first. Searches follow a change within seconds.',
  rules: '{count, plural, =0 {No synonyms are saved.} one {# line is saved.} other {# lines are saved.}}',
  lines: 'One rule a line',
  linesHelp:
    'sofa, couch: each finds the other. sneaker => trainers, running shoes: the left side finds the right side, too. A line that begins with # is a comment.',
  words: 'Words or phrases',
  wordsHelp: 'Separated by commas',
  wordsExample: 'sofa, couch',
  finds: 'Also find (one way)',
  findsHelp: 'Empty: the words find each other',
  findsExample: 'settee',
  add: 'Add line',
  save: 'Save synonyms',
  saved: 'Synonyms saved',
  undo: 'Undo changes',
  download: 'Download',
  upload: 'Upload',
  uploadHelp: 'Replaces the lines below by those of a text file in the format of Solr or Elasticsearch',
  tooLong: 'The file is too long: at most {max} characters can be kept.',

  // Preview
  preview: 'Preview',
  previewHelp: 'The available products that a search finds with the saved synonyms and with those above.',
  phrase: 'Search phrase',
  phraseHelp: 'The names of changed lines are tried, too, and the searches below that they change',
  nothingToShow: 'Change a line, or enter a phrase.',
  previewOf: 'Products found by each search',
  before: 'Before',
  after: 'After',
  found: '{count, plural, =0 {No product} one {# product} other {# products}}',
  foundMore: 'More than {count} products',
  same: 'No change',
  isNew: 'New',
  isGone: 'Gone',
  previewWaits: 'The preview is being made.',

  // Searches without results
  emptySearches: 'Searches without results',
  emptySearchesHelp:
    'What at least two people searched for in the last 30 days when no ad unit had a product to show. New searches show within seconds.',
  noEmptySearches: 'No search was without results',
  noEmptySearchesHelp: 'Here you see what shoppers look for and your ads do not have.',
  people: 'People',
  searches: 'Searches',
  last: 'Last',
  catalogue: 'In the catalogue',
  hasNone: 'No product',
  hasSome: 'Products, but none advertised',
  unknown: 'Not known now',
  spelling: 'Nearest spelling',
  actions: 'Actions',
  makeSynonym: 'Make a synonym',
  makeSynonymOf: 'Make a synonym of {phrase}',
})
