import Connection from 'kafkajs/src/network/connection.js'

const SIZE_BYTES = 4

/**
 * kafkajs 2.2.4 keeps half an answer of a connection that broke, and takes what comes first after connecting anew for
 * the rest of it: from then on nothing is understood, or it throws where nobody can catch it (tulios/kafkajs#715).
 */
export function beginConnectionsAfresh(): void {
  const connection = Connection.prototype as Connection & { beginsAfresh?: true }
  if (connection.beginsAfresh) return
  const { connect } = connection
  connection.connect = function (this: Connection) {
    if (!this.isConnected()) {
      this.chunks = []
      this.bytesBuffered = 0
      this.bytesNeeded = SIZE_BYTES
    }
    return connect.call(this)
  }
  connection.beginsAfresh = true
}
