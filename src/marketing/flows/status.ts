export const FLOW_STATUSES = ['draft', 'active', 'paused', 'archived'] as const;
export type FlowStatus = (typeof FLOW_STATUSES)[number];

export type FlowDeed = 'activate' | 'pause' | 'archive';

/** Where each deed leads, and from which states it may be done; a state that it leads to already stays as it is. */
export const TRANSITIONS: Record<FlowDeed, { from: readonly FlowStatus[]; to: FlowStatus }> = {
  activate: { from: ['draft', 'paused'], to: 'active' },
  pause: { from: ['active', 'archived'], to: 'paused' },
  archive: { from: ['draft', 'active', 'paused'], to: 'archived' },
};

/** The deed that leads to a status; none leads back to draft. */
export const DEED_TO: Record<FlowStatus, FlowDeed | null> = {
  draft: null,
  active: 'activate',
  paused: 'pause',
  archived: 'archive',
};

export function mayDo(deed: FlowDeed, status: FlowStatus): boolean {
  const { from, to } = TRANSITIONS[deed];
  return status === to || from.includes(status);
}
