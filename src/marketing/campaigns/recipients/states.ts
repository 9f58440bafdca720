import { MESSAGE_STATES, type MessageState } from '../../../messaging/ledger/message.ts';

/** The states by which recipients are listed: that of their message, or what happened to it after it was sent. */
export const RECIPIENT_STATES = [...MESSAGE_STATES, 'opened', 'clicked', 'bounced'] as const;
export type RecipientState = (typeof RECIPIENT_STATES)[number];

/** The activities of messages under each state; a refusal at the hand-over counts as a bounce. */
export const ACTIVITIES = {
  opened: ['opened'],
  clicked: ['clicked'],
  bounced: ['bounced', 'refused'],
} as const satisfies Record<Exclude<RecipientState, MessageState>, readonly string[]>;

export type ActivityState = keyof typeof ACTIVITIES;

export function isActivity(state: RecipientState): state is ActivityState {
  return state in ACTIVITIES;
}
