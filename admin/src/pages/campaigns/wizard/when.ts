import { useState } from 'react';
import { useShop } from '../../../app/session.tsx';
import { draftKey, readDraft, useKeptDraft } from '../../../ui/form/drafts.tsx';
import { instantOf, localMoment } from '../../../ui/form/moments.ts';
import { dateOf } from '../../../ui/format.tsx';
import type { Campaign } from '../queries.ts';

export interface When {
  mode: 'now' | 'later';
  /** In the format of a `datetime-local` field, in the shop's time zone. */
  at: string;
}

/** Returns when it is to go; null: at once, or at a time that is not typed yet. */
export function timeOf({ mode, at }: When, byZones: boolean, zone: string): string | null {
  return (mode === 'later' || byZones) && at !== '' ? instantOf(at, zone) : null;
}

/**
 * The time of sending, kept in the tab: telling the API a time schedules the campaign, which is left to the last step.
 * A scheduled campaign starts with its time.
 */
export function useWhen({ campaign_id, scheduled_at }: Campaign) {
  const { company } = useShop();
  const stored: When =
    scheduled_at === null
      ? { mode: 'now', at: '' }
      : { mode: 'later', at: localMoment(dateOf(scheduled_at).toISOString(), company.time_zone) };
  const key = draftKey(company, `campaigns/${campaign_id}/when`);
  const [when, set] = useState(() => readDraft<When>(key) ?? stored);
  const forget = useKeptDraft(key, when, stored);
  return { when, set, forget };
}
