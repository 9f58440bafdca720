import { useQuery } from '@tanstack/react-query';
import { dataOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { dayIn } from '../../ui/form/days.ts';
import { Day, useFormat } from '../../ui/format.tsx';
import type { Order } from './queries.ts';
import css from './Sheet.module.css';
import { SheetAddress, SheetShop, Sheets } from './Sheets.tsx';

/** One sheet for each order, with what tax law requires. Its number is the order's. */
export function Invoices() {
  return <Sheets title={t('order.invoice')} sheet={(order) => <Invoice key={order.id} order={order} />} />;
}

function Invoice({ order }: { order: Order }) {
  const { api, company } = useShop();
  const format = useFormat();
  const seller = useQuery({
    queryKey: [company.id, 'settings'],
    queryFn: ({ signal }) => dataOf(api.GET('/settings', { signal })),
  });
  const money = (amount: number): string => format.money(amount, order.currency);
  const day = dayIn(company.time_zone, new Date(order.created_at));
  return (
    <article className={css.sheet}>
      <header className={css.head}>
        <div>
          <SheetShop />
          {seller.data === undefined || seller.data.address === '' ? null : (
            <address className={css.lines}>{seller.data.address}</address>
          )}
          {seller.data === undefined || seller.data.tax_number === '' ? null : (
            <div>
              {t('settings.tax_number')}: {seller.data.tax_number}
            </div>
          )}
          {seller.data?.address === '' ? <p className="no-print dim">{t('order.invoice.no_seller')}</p> : null}
        </div>
        <h2>{t('order.invoice.title', { id: order.id })}</h2>
      </header>
      <div className={css.to}>
        <SheetAddress order={order} />
        <p>
          {t('order.invoice.date')}: <Day on={day} />
          <br />
          {t('order.number')}: {order.id}
          {order.status === 'cancelled' ? (
            <>
              <br />
              <strong>{t('status.cancelled')}</strong>
            </>
          ) : null}
        </p>
      </div>
      <table className={css.items} data-money>
        <thead>
          <tr>
            <th>{t('field.quantity')}</th>
            <th>{t('field.product')}</th>
            <th>{t('field.price')}</th>
            <th data-wide>{t('order.tax')}</th>
            <th>{t('order.sum')}</th>
          </tr>
        </thead>
        <tbody>
          {order.items.map((item) => (
            <tr key={item.product_id}>
              <td>{format.number(item.qty)}</td>
              <td className="break">{item.product_name}</td>
              <td>{money(item.price)}</td>
              <td data-wide>{money(item.tax)}</td>
              <td>{money(item.subtotal)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {order.items.some(containsTax) ? <p className="dim">{t('order.invoice.contained')}</p> : null}
      <dl className={css.sums}>
        <Sum name={t('order.subtotal')} amount={money(order.subtotal)} />
        {order.discount > 0 ? (
          <Sum
            name={order.promo_code === null ? t('order.discount') : `${t('order.discount')} (${order.promo_code})`}
            amount={money(-order.discount)}
          />
        ) : null}
        <Sum
          name={
            order.shipping_method === null ? t('order.shipping') : `${t('order.shipping')} (${order.shipping_method})`
          }
          amount={money(order.shipping)}
        />
        {order.tax_lines.map(({ name, rate, amount }) => (
          <Sum key={name} name={`${name} (${format.percent(rate)})`} amount={money(amount)} />
        ))}
        {order.tax_lines.length === 0 ? <Sum name={t('order.tax')} amount={money(order.tax)} /> : null}
        <Sum name={t('order.total')} amount={money(order.total)} strong />
      </dl>
    </article>
  );
}

/** Where prices include tax, a line's amount is less than price times quantity. */
function containsTax({ price, qty, subtotal }: Order['items'][number]): boolean {
  return price * qty - subtotal > 1e-6;
}

function Sum({ name, amount, strong }: { name: string; amount: string; strong?: true }) {
  return (
    <div data-strong={strong}>
      <dt>{name}</dt>
      <dd className="num">{amount}</dd>
    </div>
  );
}
