import type { Channel, ConsentState } from '../../../../recipients/consent.ts';

/** Who refused; the shop can take back only its own refusal. */
export type By = 'shop' | 'person';

export interface Person {
  /** The contact's id; 0 until it is known. */
  id: number;
  external_id: string | null;
  email: string | null;
  phone: string | null;
  /** `soft`: from an event or the shop, not from the person. */
  consents: Record<Channel, { state: ConsentState; by: By; soft: boolean }>;
  /** The e-mail address bounced permanently, or too often. */
  hasBounced: boolean;
  isPaused: boolean;
  wantsLess: boolean;
}

export interface Customer {
  id: number;
  email: string;
  accepts: boolean;
}

export interface Given {
  external_id?: string;
  email?: string | null;
  phone?: string | null;
  consent?: Partial<Record<Channel, ConsentState>>;
  status?: 'bounced';
}

export const KEYS = ['external_id', 'email', 'phone'] as const;
export const ADDRESS = { email: 'email', sms: 'phone' } as const;

export function newPerson(states: Record<Channel, ConsentState>, soft: boolean): Person {
  const by = 'person';
  return {
    id: 0,
    external_id: null,
    email: null,
    phone: null,
    consents: { email: { state: states.email, by, soft }, sms: { state: states.sms, by, soft } },
    hasBounced: false,
    isPaused: false,
    wantsLess: false,
  };
}
