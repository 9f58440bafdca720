import type { Channel, ConsentState } from '../states.ts';

/** Whose no it was: the shop's may be taken back by the shop. */
export type By = 'shop' | 'person';

export interface Person {
  /** 0 until it is known. */
  id: number;
  external_id: string | null;
  email: string | null;
  phone: string | null;
  words: Record<Channel, { state: ConsentState; by: By /** Nobody vouches for it. */; soft: boolean }>;
  /** The e-mail address is dead, or refused mail too often for now. */
  hasBounced: boolean;
  isPaused: boolean;
  getsLess: boolean;
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

export function newPerson(words: Record<Channel, ConsentState>, soft: boolean): Person {
  const by = 'person';
  return {
    ...{ id: 0, external_id: null, email: null, phone: null },
    words: { email: { state: words.email, by, soft }, sms: { state: words.sms, by, soft } },
    ...{ hasBounced: false, isPaused: false, getsLess: false },
  };
}
