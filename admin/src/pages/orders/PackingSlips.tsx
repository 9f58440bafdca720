import { Button } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { useSearchValues } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Moment, useFormat } from '../../ui/format.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { Failure, NotFound, Waiting } from '../../ui/states.tsx';
import { CustomerText } from '../customers/CustomerName.tsx';
import css from './PackingSlips.module.css';
import { type Order, readOrder } from './queries.ts';

/** One sheet for each order, without prices. */
export function PackingSlips() {
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
  return (
    <>
      <div className="no-print">
        <PageHeader title={t('order.slips')} back={{ path: 'orders', text: t('nav.orders') }}>
          <Button leftSection={<Icon name="printer" size={16} />} onClick={() => window.print()}>
            {t('action.print')}
          </Button>
        </PageHeader>
      </div>
      {results.map(({ data }) => (data === undefined ? null : <Slip key={data.id} order={data} />))}
    </>
  );
}

function Slip({ order }: { order: Order }) {
  const { company } = useShop();
  const format = useFormat();
  return (
    <article className={css.slip}>
      <header className={css.head}>
        <strong>{company.name}</strong>
        <h2>{t('order.title', { id: order.id })}</h2>
      </header>
      <div className={css.to}>
        <address>
          <CustomerText id={order.customer_id} />
          <br />
          {order.shipping_address}
          <br />
          {[order.shipping_zip, order.shipping_city, order.shipping_state].filter(Boolean).join(' ')}
          <br />
          {order.shipping_country}
        </address>
        <p>
          {t('field.placed')}: <Moment at={order.created_at} />
          {order.shipping_method === null ? null : (
            <>
              <br />
              {order.shipping_method}
            </>
          )}
        </p>
      </div>
      <table className={css.items}>
        <thead>
          <tr>
            <th>{t('field.quantity')}</th>
            <th>{t('field.product')}</th>
          </tr>
        </thead>
        <tbody>
          {order.items.map((item) => (
            <tr key={item.product_id}>
              <td>{format.number(item.qty)}</td>
              <td>{item.product_name}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </article>
  );
}
