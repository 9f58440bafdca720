import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { rowsOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { useWrite } from '../../ui/actions/useWrite.ts';
import { Finder, type Found } from '../../ui/finder/Finder.tsx';
import { draftKey, readDraft, useKeptDraft } from '../../ui/form/drafts.tsx';
import { sayError } from '../../ui/messages.tsx';
import { CustomerName } from '../customers/CustomerName.tsx';
import { type Customer, nameOf } from '../customers/queries.ts';
import { addressToFill, NO_ADDRESS } from './address.ts';
import { buyerOf, type Cart, type CartPatch, draftNames } from './queries.ts';
import type { CartWrites } from './useCartWrites.ts';

const SHOWN = 6;

interface FoundCustomer extends Found {
  id: number;
  customer: Customer;
}

/** The customer of an open cart. The address of their last order, otherwise their own, is filled in unless the cart has one already. */
export function Buyer({ cart, writes }: { cart: Cart; writes: CartWrites }) {
  const { api, company, can } = useShop();
  const client = useQueryClient();
  const kept = draftKey(company, draftNames(cart.id)[1]);
  const [isFilled, setFilled] = useState(() => readDraft<boolean>(kept) ?? false);
  useKeptDraft(kept, isFilled, false);
  const change = useWrite<Cart, CartPatch>({
    mutationFn: (body) => writes.change(body),
    onSuccess: () => client.invalidateQueries({ queryKey: [company.id, 'carts'] }),
    onError: sayError,
  });
  const find = async (search: string, signal: AbortSignal): Promise<FoundCustomer[]> => {
    const { rows } = await rowsOf(api.GET('/customers', { params: { query: { search, per_page: SHOWN } }, signal }));
    return rows.map((one) => ({ id: one.id, title: nameOf(one), text: `#${one.id} · ${one.email}`, customer: one }));
  };
  const choose = async ({ id, customer }: FoundCustomer): Promise<void> => {
    const query = { params: { path: { id }, query: { per_page: 1 } } };
    // Without the last order, their own address is filled in.
    const { rows } = await rowsOf(api.GET('/customers/{id}/orders', query)).catch(() => ({ rows: [] }));
    const address = addressToFill(cart, rows[0], customer);
    setFilled(address !== null);
    change.mutate(address === null ? { customer_id: id } : { customer_id: id, ...address });
  };
  const release = (): void => {
    setFilled(false);
    change.mutate(isFilled ? { customer_id: null, ...NO_ADDRESS } : { customer_id: null });
  };
  if (cart.customer_id === null) {
    if (!can('customers:read')) return null;
    return <Finder name="customers" label={t('cart.customer.find')} find={find} onChoose={(row) => void choose(row)} />;
  }
  return (
    <div className="row">
      <BuyerText cart={cart} />
      <span className="grow" />
      <Button size="xs" variant="default" loading={change.isPending} onClick={release}>
        {t('cart.customer.other')}
      </Button>
    </div>
  );
}

/** The customer as a link, or what a guest has typed. */
export function BuyerText({ cart }: { cart: Cart }) {
  const { can } = useShop();
  const { customer_id: id, email, phone } = cart;
  if (id !== null) return can('customers:read') ? <CustomerName id={id} /> : t('customer.title', { id });
  const known = [...new Set([buyerOf(cart), email, phone])].filter(Boolean);
  return (
    <span className="break">
      {known.length === 0 ? <span className="dim">{t('cart.nobody')}</span> : known.join(' · ')}
    </span>
  );
}
