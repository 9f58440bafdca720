import { t } from '../../i18n/i18n.ts';
import { Moment, useFormat } from '../../ui/format.tsx';
import type { Order } from './queries.ts';
import css from './Sheet.module.css';
import { SheetAddress, SheetShop, Sheets } from './Sheets.tsx';

/** One sheet for each order, without prices. */
export function PackingSlips() {
  return <Sheets title={t('order.slips')} sheet={(order) => <Slip key={order.id} order={order} />} />;
}

function Slip({ order }: { order: Order }) {
  const format = useFormat();
  return (
    <article className={css.sheet}>
      <header className={css.head}>
        <div>
          <SheetShop />
        </div>
        <h2>{t('order.title', { id: order.id })}</h2>
      </header>
      <div className={css.to}>
        <SheetAddress order={order} />
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
