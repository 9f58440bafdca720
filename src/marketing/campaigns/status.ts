export const CAMPAIGN_STATUSES = ['draft', 'scheduled', 'sending', 'paused', 'sent', 'cancelled', 'failed'] as const;
export type CampaignStatus = (typeof CAMPAIGN_STATUSES)[number];

export type CampaignAction = 'send' | 'pause' | 'resume' | 'cancel' | 'edit' | 'delete' | 'retry' | 'resend';

/** The statuses in which each action is allowed. */
const ALLOWED: Record<CampaignAction, readonly CampaignStatus[]> = {
  send: ['draft', 'scheduled'],
  pause: ['scheduled', 'sending'],
  resume: ['paused'],
  cancel: ['draft', 'scheduled', 'sending', 'paused'],
  edit: ['draft', 'scheduled'],
  delete: ['draft', 'scheduled', 'sent', 'cancelled', 'failed'],
  retry: ['sending', 'paused', 'sent'],
  resend: ['sent'],
};

/** The statuses in which an action has already taken effect: repeating it there changes nothing. */
const DONE: Partial<Record<CampaignAction, readonly CampaignStatus[]>> = {
  send: ['sending'],
  pause: ['paused'],
  // A campaign paused before its scheduled time becomes scheduled again.
  resume: ['sending', 'scheduled'],
  cancel: ['cancelled'],
};

export function isAllowed(action: CampaignAction, status: CampaignStatus): boolean {
  return ALLOWED[action].includes(status);
}

export function isDone(action: CampaignAction, status: CampaignStatus): boolean {
  return DONE[action]?.includes(status) ?? false;
}
