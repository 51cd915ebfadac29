import type { Protocol } from 'kafkajs/internals'
import Encoder from 'kafkajs/src/protocol/encoder.js'
import { protocolOf, readError } from './requests.ts'

/** How a member asks to join its group. A new member has no id yet: ''. */
export interface GroupMembership {
  group: string
  memberId: string
  sessionTimeoutMs: number
  /** How long the group waits for its other members to join. */
  rebalanceTimeoutMs: number
  /** All members of a group name the same one. */
  protocol: { name: string; metadata: Buffer }
}

export interface JoinAnswer {
  memberId: string
  /** Null when the broker has only given the member its id, under which it must ask again. */
  joined: { generation: number; leaderId: string; members: { memberId: string; memberMetadata: Buffer }[] } | null
}

/**
 * JoinGroup v5 of a consumer. kafkajs has it, but asks again by itself and keeps the id until the group answers, so that a join whose
 * answer is lost is repeated under another id.
 */
export function joinGroupRequest(member: GroupMembership): Protocol<JoinAnswer> {
  const body = () =>
    new Encoder()
      .writeString(member.group)
      .writeInt32(member.sessionTimeoutMs)
      .writeInt32(member.rebalanceTimeoutMs)
      .writeString(member.memberId)
      .writeString(null) // no static member
      .writeString('consumer')
      .writeArray([new Encoder().writeString(member.protocol.name).writeBytes(member.protocol.metadata)])
  return protocolOf([11, 5, 'JoinGroup', body], (from) => {
    from.readInt32() // throttle time
    const error = readError(from)
    if (error && error.type !== 'MEMBER_ID_REQUIRED') throw error
    const generation = from.readInt32()
    from.readString() // protocol
    const leaderId = from.readString()
    const memberId = from.readString()
    const members = from.readArray((from) => {
      const memberId = from.readString()
      from.readString() // static member
      return { memberId, memberMetadata: from.readBytes()! }
    })
    return { memberId, joined: error ? null : { generation, leaderId, members } }
  })
}
