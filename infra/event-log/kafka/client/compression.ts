import { constants, gunzipSync, gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib'

/** How the records of a batch are compressed; the numbers are those of the batch's attributes. */
export const CODECS = { none: 0, gzip: 1, zstd: 4 } as const
export type Codec = keyof typeof CODECS

const GZIP_LEVEL = 1
const ZSTD_LEVEL = 1

export function compress(codec: Codec, records: Buffer): Buffer {
  switch (codec) {
    case 'none':
      return records
    case 'gzip':
      return gzipSync(records, { level: GZIP_LEVEL })
    case 'zstd':
      return zstdCompressSync(records, { params: { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL } })
  }
}

/** @param codec from a batch's attributes. @throws when it is one that no writer of ours uses. */
export function decompress(codec: number, records: Buffer): Buffer {
  switch (codec) {
    case CODECS.none:
      return records
    case CODECS.gzip:
      return gunzipSync(records)
    case CODECS.zstd:
      return zstdDecompressSync(records)
    default:
      throw new Error(`A batch of the log is compressed with codec ${codec}, which is none of gzip and zstd`)
  }
}
