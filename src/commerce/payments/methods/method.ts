import type { Minor } from '../../money.ts';

export const PROVIDERS = ['manual'] as const;
export const KINDS = ['bank_transfer', 'cash_on_delivery', 'cash', 'card_terminal', 'other'] as const;
export const PLACES = ['at_once', 'when_paid'] as const;
export const CAPTURES = ['at_once'] as const;

export interface PaymentMethod {
  id: number;
  provider: (typeof PROVIDERS)[number];
  kind: (typeof KINDS)[number];
  name: string;
  description: string | null;
  /** What the buyer is told after ordering. */
  instructions: string | null;
  /** The account at the provider; null for methods that staff settle by hand. */
  account_id: number | null;
  position: number;
  active: boolean;
  staff_only: boolean;
  places: (typeof PLACES)[number];
  /** Of `when_paid`. */
  reserve_minutes: number;
  capture: (typeof CAPTURES)[number];
  min_total: Minor | null;
  max_total: Minor | null;
}
