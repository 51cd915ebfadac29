import { catalogue } from './catalogue.ts'

/** The building blocks of all pages: tables, headers, cards, dialogs that ask, states. */
export const t = catalogue({
  // Tables
  search: 'Search',
  searchIn: 'Search {what}',
  columns: 'Columns',
  resetColumns: 'Reset columns',
  csv: 'CSV',
  downloadCsv: 'Download as CSV',
  total: 'Total',
  selectRow: 'Select {name}',
  selectAll: '{count, plural, one {Select the # row} other {Select all # rows}}',
  bulkActions: 'Selected rows',
  selected: '{count, plural, one {# selected} other {# selected}}',
  clearSelection: 'Clear selection',
  nothingMatches: 'Nothing matches',
  nothingHas: 'Nothing has “{text}” in it.',
  notRefreshed: 'These rows could not be refreshed and may be out of date',
  tryAgain: 'Try again',
  rows: '{all, plural, =0 {No rows} other {{shown, number} of {all, plural, one {# row} other {# rows}}}}',
  pageOfList: 'page {page, number}',
  range: '{from, number}–{to, number}',
  pages: 'Pages of the list',
  previous: 'Previous',
  next: 'Next',

  // Headers
  documentTitle: '{page} · Endcap',
  breadcrumbs: 'Breadcrumbs',

  // Dialogs that ask
  cancel: 'Cancel',
  leaveQuestion: 'Leave without saving?',
  leaveHelp: 'What you have changed here will be lost.',
  leave: 'Leave',
  stay: 'Stay',
  deleteWhat: 'Delete {what}',
  deleteQuestion: 'Delete the {what} {name}?',

  // States
  draft: 'Draft',
  scheduled: 'Scheduled',
  running: 'Running',
  paused: 'Paused',
  budgetSpent: 'Budget spent',
  ended: 'Ended',
  archived: 'Archived',
  active: 'Active',
  inactive: 'Inactive',
  inModeration: 'In moderation',
  accepted: 'Accepted',
  rejected: 'Rejected',
  queued: 'Queued',
  done: 'Done',
  held: 'Held',
  failed: 'Failed',
  warning: 'Warning',
  disabled: 'Disabled',
  invited: 'Invited',
  expired: 'Expired',
  ok: 'OK',
})
