import type { Minor } from '../../money.ts';
import { PAYMENT_SERVICES } from '../providers/provider.ts';

export const PROVIDERS = ['manual', ...PAYMENT_SERVICES] as const;
/** Of manual methods. */
export const KINDS = ['bank_transfer', 'cash_on_delivery', 'cash', 'card_terminal', 'other'] as const;
/** The kind of the manual method that imported payments have. Nobody chooses it, and it cannot be changed. */
export const IMPORTED_KIND = 'imported';
export const PLACES = ['at_once', 'when_paid'] as const;
/** Of a service: when the money is taken that the buyer has authorized. */
export const CAPTURES = ['at_once', 'on_shipped', 'by_hand'] as const;

export interface PaymentMethod {
  id: number;
  provider: (typeof PROVIDERS)[number];
  /** One of KINDS, or IMPORTED_KIND; of a service, its name of the method, or `any`. */
  kind: string;
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
  /** How long goods are set aside while the money is awaited. */
  reserve_minutes: number;
  capture: (typeof CAPTURES)[number];
  min_total: Minor | null;
  max_total: Minor | null;
}

/** Whether a cart is reserved while it is paid by the method, not placed at once. */
export function reserves({ provider, places }: PaymentMethod): boolean {
  return provider !== 'manual' || places === 'when_paid';
}
