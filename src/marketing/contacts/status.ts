export const CONTACT_STATUSES = ['subscribed', 'unsubscribed', 'bounced'] as const;
export type ContactStatus = (typeof CONTACT_STATUSES)[number];

/** What can move a contact's status. */
export type StatusCause =
  | 'unsubscribe'
  | 'complaint'
  | 'bounce'
  | 'new_address'
  | 'resubscribe'
  | 'opt_in'
  | 'suppressed_unsubscribe'
  | 'suppressed_bounce';

/**
 * The transitions. One who left stays so when mail to them bounces: otherwise a new address, which lifts a bounce, would
 * bring them back against their will. The last two are of a contact that comes with an address that is suppressed.
 */
export const TRANSITIONS: Record<StatusCause, { from: readonly ContactStatus[]; to: ContactStatus }> = {
  unsubscribe: { from: ['subscribed', 'bounced'], to: 'unsubscribed' },
  complaint: { from: ['subscribed', 'bounced'], to: 'unsubscribed' },
  bounce: { from: ['subscribed'], to: 'bounced' },
  new_address: { from: ['bounced'], to: 'subscribed' },
  resubscribe: { from: ['unsubscribed', 'bounced'], to: 'subscribed' },
  opt_in: { from: ['unsubscribed', 'bounced'], to: 'subscribed' },
  suppressed_unsubscribe: { from: ['subscribed', 'bounced'], to: 'unsubscribed' },
  suppressed_bounce: { from: ['subscribed'], to: 'bounced' },
};

/** The status after `cause`: the same one where the cause does not move it. */
export function nextStatus(status: ContactStatus, cause: StatusCause): ContactStatus {
  const { from, to } = TRANSITIONS[cause];
  return from.includes(status) ? to : status;
}

/** The cause under which an upsert may ask for a status. It can never ask for `subscribed`. */
export function causeOfUpsert(asked: ContactStatus): StatusCause | null {
  if (asked === 'unsubscribed') return 'unsubscribe';
  return asked === 'bounced' ? 'bounce' : null;
}
