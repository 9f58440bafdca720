import { Button, NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Model, rowsOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import css from './carts.module.css';
import type { Cart } from './queries.ts';

type Method = Model<'PaymentMethod'>;

/** The methods by which the cart can be paid, those for staff among them, and the button that begins it. */
export function PayBy({ cart, busy, onPay }: { cart: Cart; busy: boolean; onPay: (methodId: number) => void }) {
  const { api, company, can } = useShop();
  const [chosen, setChosen] = useState('');
  const { data: methods = [] } = useQuery({
    queryKey: [company.id, 'payment-methods', 'all'],
    enabled: can('settings:read'),
    queryFn: async ({ signal }) =>
      (await rowsOf(api.GET('/payment-methods', { params: { query: { per_page: 100 } }, signal }))).rows,
  });
  const offered = methods.filter((method) => isOffered(method, cart.total));
  const method = offered.find(({ id }) => String(id) === chosen) ?? offered[0];
  if (method === undefined || cart.lines.length === 0) return null;
  return (
    <div className={css.pay}>
      <NativeSelect
        label={t('cart.pay_by')}
        description={method.places === 'when_paid' ? t('cart.pay_by.when_paid') : t('cart.pay_by.at_once')}
        value={String(method.id)}
        data={offered.map(({ id, name }) => ({ value: String(id), label: name }))}
        onChange={(event) => setChosen(event.currentTarget.value)}
      />
      <Button fullWidth variant="default" loading={busy} onClick={() => onPay(method.id)}>
        {t('cart.pay')}
      </Button>
    </div>
  );
}

function isOffered({ active, min_total, max_total }: Method, total: number): boolean {
  return active && total >= (min_total ?? 0) && (max_total === null || total <= max_total);
}
