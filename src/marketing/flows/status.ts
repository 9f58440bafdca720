export const FLOW_STATUSES = ['draft', 'active', 'paused', 'archived'] as const;
export type FlowStatus = (typeof FLOW_STATUSES)[number];

export type FlowAction = 'activate' | 'pause' | 'archive';

/** For each action: the statuses from which it is allowed, and the resulting status, in which it changes nothing. */
export const TRANSITIONS: Record<FlowAction, { from: readonly FlowStatus[]; to: FlowStatus }> = {
  activate: { from: ['draft', 'paused'], to: 'active' },
  pause: { from: ['active', 'archived'], to: 'paused' },
  archive: { from: ['draft', 'active', 'paused'], to: 'archived' },
};

/** The action that leads to a status. None leads back to draft. */
export const ACTION_TO: Record<FlowStatus, FlowAction | null> = {
  draft: null,
  active: 'activate',
  paused: 'pause',
  archived: 'archive',
};

export function isAllowed(action: FlowAction, status: FlowStatus): boolean {
  const { from, to } = TRANSITIONS[action];
  return status === to || from.includes(status);
}
