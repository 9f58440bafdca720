/** Campaigns of which nothing is claimed for now, since a limit holds all their messages up. In the memory of each process. */
export interface CampaignBackoffs {
  note(companyId: number, campaignId: number, until: Date, now: Date): void;
  isBackedOff(companyId: number, campaignId: number | null, now: Date): boolean;
}

/** So that a limit that was raised is noticed: after it, one set is tried again. */
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
      // One that lies further ahead than any was noted by a clock that was ahead.
      if (left > 0 && left <= LONGEST_MS) return true;
      backoffs.delete(key);
      return false;
    },
  };
}
