/**
 * The RFM classes of buyers. Recency, frequency and amount are scored from 1 to 5 by quintiles of the company's buyers
 * (`rfm_boundaries`, computed once a day); 5 is best. FM is the mean of the frequency and amount scores, rounded up.
 */

/** Indexed by recency from 1 to 5, then by FM from 1 to 5. */
const CLASSES_BY_SCORE = [
  ['lost', 'hibernating', 'hibernating', 'cannot_lose', 'cannot_lose'],
  ['hibernating', 'at_risk', 'at_risk', 'at_risk', 'at_risk'],
  ['about_to_sleep', 'need_attention', 'need_attention', 'loyal', 'loyal'],
  ['new', 'potential_loyal', 'potential_loyal', 'champions', 'champions'],
  ['new', 'potential_loyal', 'potential_loyal', 'champions', 'champions'],
] as const;

/** The same as one list, indexed by (recency - 1) * 5 + FM, starting at 1. */
export const CLASSES_IN_ORDER: readonly string[] = CLASSES_BY_SCORE.flat();

export const RFM_CLASSES: readonly string[] = [...new Set(CLASSES_IN_ORDER)].sort();
