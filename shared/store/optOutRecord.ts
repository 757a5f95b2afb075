/**
 * Somebody who is left out of what is shown of a server, because they have an opt-out role there. What they wrote stays
 * recorded. It is shown again once this record is removed.
 */
export interface OptOutRecord {
  /** `<serverId>/<userId>` */
  _id: string;
  serverId: string;
  userId: string;
  /** Their opt-out roles, as they were told last. Absent in records of earlier versions. */
  roleIds?: string[];
}
