import { Button } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ok } from '../../api/client.ts';
import { useSearchValues } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Icon } from '../../ui/Icon.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { pictureOf } from '../../ui/picture.ts';
import { Failure, NotFound, Waiting } from '../../ui/states.tsx';
import { CustomerText } from '../customers/CustomerName.tsx';
import { type Order, readOrder } from './queries.ts';
import css from './Sheet.module.css';

/** The orders named in the address, as sheets for printing. */
export function Sheets({ title, sheet }: { title: string; sheet(order: Order): ReactNode }) {
  const { api, company } = useShop();
  const [{ ids = '' }] = useSearchValues();
  const numbers = ids
    .split('-')
    .filter((id) => /^[1-9]\d{0,15}$/.test(id))
    .map(Number);
  const results = useQueries({
    queries: numbers.map((id) => ({
      queryKey: [company.id, 'orders', id],
      queryFn: ({ signal }: { signal: AbortSignal }) => readOrder(api, id, signal),
    })),
  });
  const failed = results.find(({ error }) => error !== null);
  if (numbers.length === 0) return <NotFound />;
  if (failed !== undefined) return <Failure error={failed.error} reset={() => void failed.refetch()} />;
  if (results.some(({ data }) => data === undefined)) return <Waiting />;
  const [only] = numbers;
  const back =
    numbers.length === 1
      ? { path: `orders/${only}`, text: t('order.title', { id: only }) }
      : { path: 'orders', text: t('nav.orders') };
  return (
    <>
      <div className="no-print">
        <PageHeader title={numbers.length === 1 ? `${title} ${only}` : title} back={back}>
          <Button leftSection={<Icon name="printer" size={16} />} onClick={() => window.print()}>
            {t('action.print')}
          </Button>
        </PageHeader>
      </div>
      {results.map(({ data }) => (data === undefined ? null : sheet(data)))}
    </>
  );
}

/** The shop's logo, if it is a picture of the media library, and its name. */
export function SheetShop() {
  const { api, company } = useShop();
  const { data } = useQuery({
    queryKey: [company.id, 'brand-kit'],
    queryFn: ({ signal }) => ok(api.GET('/brand-kit', { signal })),
  });
  const logo = data?.logo_url == null ? null : pictureOf(data.logo_url, 'medium');
  return (
    <>
      {logo === null ? null : <img src={logo} alt="" className={css.logo} />}
      <strong>{company.name}</strong>
    </>
  );
}

/** The address to which the order is delivered. */
export function SheetAddress({ order }: { order: Order }) {
  return (
    <address>
      <CustomerText id={order.customer_id} />
      <br />
      {order.shipping_address}
      <br />
      {[order.shipping_zip, order.shipping_city, order.shipping_state].filter(Boolean).join(' ')}
      <br />
      {order.shipping_country}
    </address>
  );
}
