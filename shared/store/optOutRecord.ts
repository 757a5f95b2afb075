/**
 * Somebody who is left out of what is shown of a server, because they carry a role there that says so. What they wrote
 * stays recorded, and is shown again when this goes.
 */
export interface OptOutRecord {
  /** `<serverId>/<userId>` */
  _id: string;
  serverId: string;
  userId: string;
  since: Date;
  /** The roles that say so, as they were told last; absent in records of an earlier version. */
  roleIds?: string[];
}
