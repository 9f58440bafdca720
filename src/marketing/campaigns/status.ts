export const CAMPAIGN_STATUSES = ['draft', 'scheduled', 'sending', 'paused', 'sent', 'cancelled', 'failed'] as const;
export type CampaignStatus = (typeof CAMPAIGN_STATUSES)[number];

export type CampaignDeed = 'send' | 'pause' | 'resume' | 'cancel' | 'edit' | 'delete' | 'retry';

/** From which statuses each deed may be done. */
const ALLOWED: Record<CampaignDeed, readonly CampaignStatus[]> = {
  send: ['draft', 'scheduled'],
  pause: ['scheduled', 'sending'],
  resume: ['paused'],
  cancel: ['draft', 'scheduled', 'sending', 'paused'],
  edit: ['draft', 'scheduled'],
  delete: ['draft', 'scheduled', 'sent', 'cancelled', 'failed'],
  retry: ['sending', 'paused', 'sent'],
};

/** What a deed may have led to: asked for again there, it changes nothing. */
const DONE: Partial<Record<CampaignDeed, readonly CampaignStatus[]>> = {
  send: ['sending'],
  pause: ['paused'],
  // One that was paused before its time waits for it again.
  resume: ['sending', 'scheduled'],
  cancel: ['cancelled'],
};

export function mayDo(deed: CampaignDeed, status: CampaignStatus): boolean {
  return ALLOWED[deed].includes(status);
}

export function isDone(deed: CampaignDeed, status: CampaignStatus): boolean {
  return DONE[deed]?.includes(status) ?? false;
}
