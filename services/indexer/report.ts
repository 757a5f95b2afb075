/** Reports how far a job has come: `done` of `total` things. */
export type Report = (done: number, total: number) => void;

/** A report for work that nobody watches. */
export const REPORT_NOBODY: Report = () => undefined;
