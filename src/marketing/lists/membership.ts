export const MEMBERSHIP_STATUSES = ['pending', 'active', 'unsubscribed'] as const;
export type MembershipStatus = (typeof MEMBERSHIP_STATUSES)[number];

export interface Membership {
  list_id: number;
  status: MembershipStatus;
}

/** The consent to a membership, as the API's caller or the confirmation gives it. */
export interface Consent {
  at: Date;
  source: string;
  ip: string | null;
}

/**
 * The status after a contact was added to a list by somebody else. A contact that left the list stays unsubscribed, or on a list
 * with double opt-in is asked again.
 */
export function joinStatus(current: MembershipStatus | undefined, doubleOptIn: boolean): MembershipStatus {
  if (current === undefined) return doubleOptIn ? 'pending' : 'active';
  return current === 'unsubscribed' && doubleOptIn ? 'pending' : current;
}
