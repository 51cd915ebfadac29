/** Something to read, on one or more lines. */
export const TEXT_LINES_PATTERN = '\\S'
/** Something to read, and no control characters. */
export const TEXT_PATTERN = '^[^\\u0000-\\u001f\\u007f]*[^\\s\\u0000-\\u001f\\u007f][^\\u0000-\\u001f\\u007f]*$'
/** Perhaps nothing, but no control characters. */
export const NO_CONTROL_PATTERN = '^[^\\u0000-\\u001f\\u007f]*$'
