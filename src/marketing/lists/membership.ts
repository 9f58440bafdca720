export const MEMBERSHIP_STATUSES = ['pending', 'active', 'unsubscribed'] as const;
export type MembershipStatus = (typeof MEMBERSHIP_STATUSES)[number];

export interface Membership {
  list_id: number;
  status: MembershipStatus;
}

/** Where a consent came from: what the API's caller says of it, or the confirmation itself. */
export interface Consent {
  at: Date;
  source: string;
  ip: string | null;
}

/**
 * The status after somebody was put on a list. One who left a list is not brought back by others: on a list with double
 * opt-in they are asked again, on another they stay away.
 */
export function joinStatus(current: MembershipStatus | undefined, doubleOptIn: boolean): MembershipStatus {
  if (current === undefined) return doubleOptIn ? 'pending' : 'active';
  return current === 'unsubscribed' && doubleOptIn ? 'pending' : current;
}
