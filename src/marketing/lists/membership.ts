import type { MembershipStatus } from '../../recipients/consent.ts';

export interface Membership {
  list_id: number;
  status: MembershipStatus;
}

/** The consent to a membership, as stated by the caller of the API or by the confirmation. */
export interface Consent {
  at: Date;
  source: string;
  ip: string | null;
}

/**
 * The status after somebody else added the contact to a list. A contact that left the list stays unsubscribed; on a list
 * with double opt-in it is asked again.
 */
export function joinStatus(current: MembershipStatus | undefined, doubleOptIn: boolean): MembershipStatus {
  if (current === undefined) return doubleOptIn ? 'pending' : 'active';
  return current === 'unsubscribed' && doubleOptIn ? 'pending' : current;
}
