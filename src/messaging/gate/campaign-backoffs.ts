/** Campaigns that are not claimed from for now, because a limit holds up all their messages. In each process's memory. */
export interface CampaignBackoffs {
  note(companyId: number, campaignId: number, until: Date, now: Date): void;
  isBackedOff(companyId: number, campaignId: number | null, now: Date): boolean;
}

/** Then one set is tried again, so that a raised limit is noticed. */
const LONGEST_MS = 5 * 60_000;

export function createCampaignBackoffs(): CampaignBackoffs {
  const backoffs = new Map<string, number>();
  return {
    note(companyId, campaignId, until, now) {
      const ends = Math.min(until.getTime(), now.getTime() + LONGEST_MS);
      backoffs.set(`${companyId} ${campaignId}`, ends);
    },
    isBackedOff(companyId, campaignId, now) {
      if (backoffs.size === 0 || campaignId === null) return false;
      const key = `${companyId} ${campaignId}`;
      const left = (backoffs.get(key) ?? 0) - now.getTime();
      // A time further ahead than this was recorded while the clock was ahead.
      if (left > 0 && left <= LONGEST_MS) return true;
      backoffs.delete(key);
      return false;
    },
  };
}
