/** Something that is to be removed, as the archive knows it now. */
export interface Target {
  /** Why there is nothing to remove, and whether it may come later. Absent where there is something. */
  unknown?: string;
  /** What will be removed, in lines for people. */
  describe(): Promise<string[]>;
}
