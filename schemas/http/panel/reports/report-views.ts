import { type Static, Type } from 'typebox'
import { answered, Body, ListQuery, Name, PatchBody } from '../common.ts'

const ADDRESS_CHARS_MAX = 4_000

const fields = {
  name: Name('Its name, once among those of the user'),
  address: Type.String({
    maxLength: ADDRESS_CHARS_MAX,
    // Printable ASCII, as in a URL, without the characters that end a query.
    pattern: '^[!"$-~]*$',
    description: "The settings: the query of the report's address in the panel, without the question mark",
  }),
  isDefault: Type.Boolean({ description: 'The report opens with it; takes the place of the default before' }),
}

export const ReportViewCreate = Body({ ...fields, isDefault: Type.Optional(fields.isDefault) })
export type ReportViewCreate = Static<typeof ReportViewCreate>
export const ReportViewPatch = PatchBody(fields)
export type ReportViewPatch = Static<typeof ReportViewPatch>
export const ReportViewView = Type.Object({ ...answered, ...fields })
export const ReportViewQuery = ListQuery({})
