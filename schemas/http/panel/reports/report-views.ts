import { type Static, Type } from 'typebox'
import { answered, Body, ListQuery, Name, PatchBody } from '../common.ts'

const ADDRESS_CHARS_MAX = 4_000

const fields = {
  name: Name('Name of the view, unique among those of the user'),
  address: Type.String({
    maxLength: ADDRESS_CHARS_MAX,
    // Printable ASCII, as in a URL, without the characters that end a query.
    pattern: '^[!"$-~]*$',
    description: 'Settings of the report: the query of its address in the panel, without the question mark',
  }),
  isDefault: Type.Boolean({ description: 'Whether the report opens with this view. It replaces the previous default' }),
}

export const ReportViewCreate = Body({ ...fields, isDefault: Type.Optional(fields.isDefault) })
export type ReportViewCreate = Static<typeof ReportViewCreate>
export const ReportViewPatch = PatchBody(fields)
export type ReportViewPatch = Static<typeof ReportViewPatch>
export const ReportViewView = Type.Object({ ...answered, ...fields })
export const ReportViewQuery = ListQuery({})
