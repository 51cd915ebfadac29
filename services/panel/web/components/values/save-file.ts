/** Without it, Excel reads a file as text of the system's old code page: Łódź becomes ÅÃ³dÅº. */
const BYTE_ORDER_MARK = '\ufeff'

/** Makes the browser save CSV so that spreadsheets read its letters rightly. */
export function saveCsv(name: string, text: string | Blob): void {
  saveFile(name, new Blob([BYTE_ORDER_MARK, text], { type: 'text/csv;charset=utf-8' }))
}

/** Makes the browser save a file with this content. */
export function saveFile(name: string, content: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
