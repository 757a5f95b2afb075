import type { AskLimits } from '../../shared/platform/gatherReads.js';
import { PATIENCE_MS } from './patientElasticsearch.js';

/** Limits of reads from a store that is there: they wait as long as a busy machine takes. */
export const PATIENT_READS: AskLimits = { refuse: () => undefined, waitMs: PATIENCE_MS };
