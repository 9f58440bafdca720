import { useState } from 'react';
import type { paths } from '../../../api/schema.ts';
import { useShop } from '../../../app/session.tsx';
import { draftKey, readDraft, useKeptDraft } from '../../../ui/form/drafts.tsx';
import { numberOf } from '../../../ui/form/numbers.ts';
import type { Values } from '../../../ui/form/values.ts';
import { ADDRESS, NOWHERE } from './address.ts';

type Body<Path extends '/orders' | '/orders/calculate'> =
  paths[Path]['post']['requestBody']['content']['application/json'];
export type Basket = Body<'/orders/calculate'>;
export type NewOrder = Body<'/orders'>;

export interface Line {
  product_id: number;
  name: string;
  price: number;
  stock: number;
  qty: string;
}

/** Texts as they are typed, under their names in the API. */
export const TEXTS = [...ADDRESS, ...(['promo_code', 'redeem_points', 'shipping_method_id'] as const)] as const;
export type TextName = (typeof TEXTS)[number];

/** `isFilled`: whether the address was filled in for the customer. `custom`: custom fields as they are typed. */
export type Draft = {
  customer: { id: number; label: string } | null;
  lines: Line[];
  isFilled: boolean;
  custom: Values;
} & Record<TextName, string>;

const EMPTY: Draft = {
  customer: null,
  lines: [],
  isFilled: false,
  custom: {},
  ...NOWHERE,
  promo_code: '',
  redeem_points: '',
  shipping_method_id: '',
};

export type DraftChange = Partial<Draft> | ((draft: Draft) => Draft);

/** The order that is being entered, kept across a reload of the tab. */
export function useDraft(): [Draft, (change: DraftChange) => void, () => void] {
  const { company } = useShop();
  const kept = draftKey(company, 'orders-new');
  const [draft, setDraft] = useState<Draft>(() => ({ ...EMPTY, ...readDraft<Partial<Draft>>(kept) }));
  const forget = useKeptDraft(kept, draft, EMPTY);
  const change = (to: DraftChange): void => setDraft((now) => (typeof to === 'function' ? to(now) : { ...now, ...to }));
  const clear = (): void => {
    forget();
    setDraft(EMPTY);
  };
  return [draft, change, clear];
}

/** The request to the API; what is not a number is sent unchanged, and the server reports it at the field. */
export function bodyOf(draft: Draft): Basket {
  const numbers: readonly TextName[] = ['redeem_points', 'shipping_method_id'];
  const given = TEXTS.filter((name) => draft[name].trim() !== '').map((name) => [
    name,
    numbers.includes(name) ? numberOf(draft[name]) : draft[name].trim(),
  ]);
  return {
    ...(Object.fromEntries(given) as Partial<Basket>),
    ...(draft.customer === null ? {} : { customer_id: draft.customer.id }),
    items: draft.lines.map(({ product_id, qty }) => ({ product_id, qty: numberOf(qty) as number })),
  };
}
