import { t } from '../../i18n/i18n.ts';
import { actorText } from '../../ui/actor.ts';
import { Moment, useFormat } from '../../ui/format.tsx';
import { Status } from '../../ui/Status.tsx';
import type { Order } from '../orders/queries.ts';
import css from './money.module.css';
import type { Refund } from './queries.ts';

/** What was given back, and for which units. */
export function Refunds({ order, refunds }: { order: Order; refunds: Refund[] }) {
  if (refunds.length === 0) return null;
  return (
    <div>
      <h3 className={css.side}>{t('money.refunds')}</h3>
      <ul className={css.entries}>
        {refunds.map((refund) => (
          <RefundRow key={refund.id} order={order} refund={refund} />
        ))}
      </ul>
    </div>
  );
}

function RefundRow({ order, refund }: { order: Order; refund: Refund }) {
  const format = useFormat();
  const { amount, shipping, currency, reason, lines, status, actor, created_at } = refund;
  return (
    <li>
      <span className={css.what}>
        {status === 'done' ? null : (
          <div>
            <Status value={status} of="refund_status" />
          </div>
        )}
        {lines.map(({ line_id, qty, restocked }) => {
          const name = order.items.find(({ id }) => id === line_id)?.product_name ?? `#${line_id}`;
          return (
            <span key={line_id} className="break">
              {t('money.refund.units', { n: qty, name })}
              {restocked > 0 ? ` (${t('money.refund.restocked', { n: restocked })})` : null}
            </span>
          );
        })}
        {shipping > 0 ? (
          <span>{t('money.refund.for_shipping', { amount: format.money(shipping, currency) })}</span>
        ) : null}
        {lines.length === 0 && shipping === 0 ? <span>{t('money.refund.without_lines')}</span> : null}
        {reason === null ? null : <span className="break">{reason}</span>}
        <span className="dim break">
          <Moment at={created_at} />
          {' · '}
          {actorText(actor, null)}
        </span>
      </span>
      <span className="num">{format.money(amount, currency)}</span>
    </li>
  );
}
