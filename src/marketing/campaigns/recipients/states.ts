import { MESSAGE_STATES, type MessageState } from '../../../messaging/ledger/message.ts';

/** By what recipients are listed: where their message stands, or what became of it. */
export const RECIPIENT_STATES = [...MESSAGE_STATES, 'opened', 'clicked', 'bounced'] as const;
export type RecipientState = (typeof RECIPIENT_STATES)[number];

/** What happened to messages, by the state that it is listed under; a refusal at the hand-over is a bounce as well. */
export const ACTIVITIES = {
  opened: ['opened'],
  clicked: ['clicked'],
  bounced: ['bounced', 'refused'],
} as const satisfies Record<Exclude<RecipientState, MessageState>, readonly string[]>;

export type ActivityState = keyof typeof ACTIVITIES;

export function isActivity(state: RecipientState): state is ActivityState {
  return state in ACTIVITIES;
}
