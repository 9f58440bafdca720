import { Button } from '@mantine/core';
import { dataOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { useAct } from '../../ui/actions/useAct.ts';
import { ask } from '../../ui/Dialogs.tsx';
import { Day, Moment, useFormat } from '../../ui/format.tsx';
import { Status } from '../../ui/Status.tsx';
import css from './money.module.css';
import type { Payment } from './queries.ts';
import { Operations, ServiceActions, ServiceFacts } from './ServicePayment.tsx';

/** The payments of an order, with the button that stops awaiting one. */
export function Payments({ payments }: { payments: Payment[] }) {
  if (payments.length === 0) return null;
  return (
    <div>
      <h3 className={css.side}>{t('money.payments')}</h3>
      <ul className={css.entries}>
        {payments.map((payment) => (
          <PaymentRow key={payment.id} payment={payment} />
        ))}
      </ul>
    </div>
  );
}

function PaymentRow({ payment }: { payment: Payment }) {
  const { can } = useShop();
  const format = useFormat();
  const { label, status, reference, due_on, amount, captured, refunded, currency, created_at } = payment;
  const isByHand = payment.provider === 'manual';
  const isAwaited = isByHand && status === 'action_required';
  return (
    <li>
      <span className={css.what}>
        <div>
          <span className="break">{label}</span>
          <Status value={status} of="payment_status" />
          {payment.mode === 'test' ? <Status value="test" /> : null}
        </div>
        {reference === null ? null : (
          <span className="break">
            {t('money.reference')}: {reference}
          </span>
        )}
        {isAwaited && due_on !== null ? (
          <span>
            {t('money.due')}: <Day on={due_on} />
          </span>
        ) : null}
        {isAwaited && captured > 0 ? (
          <span>{t('money.received_of', { amount: format.money(captured, currency) })}</span>
        ) : null}
        {isByHand ? null : <ServiceFacts payment={payment} />}
        {refunded > 0 ? <span>{t('money.paid_back_of', { amount: format.money(refunded, currency) })}</span> : null}
        <span className="dim">
          <Moment at={created_at} />
        </span>
        {isByHand ? null : <Operations payment={payment} />}
      </span>
      <span className={css.right}>
        <span className="num">{format.money(amount, currency)}</span>
        {can('payments:write') ? <Actions payment={payment} /> : null}
      </span>
    </li>
  );
}

function Actions({ payment }: { payment: Payment }) {
  if (payment.provider !== 'manual') return <ServiceActions payment={payment} />;
  return payment.status === 'action_required' ? <StopAwaiting payment={payment} /> : null;
}

/** Stops awaiting a payment, after a question. */
export function StopAwaiting({ payment: { id, label, cart_id, order_id } }: { payment: Payment }) {
  const { api } = useShop();
  const act = useAct();
  const stop = async (): Promise<void> => {
    const isOfCart = order_id === null && cart_id !== null;
    const sure = await ask({
      title: t('money.stop.title', { label }),
      text: t(isOfCart ? 'money.stop.cart' : 'money.stop.text'),
      action: t('money.stop'),
    });
    if (sure)
      await act(() => dataOf(api.POST('/payments/{id}/cancel', { params: { path: { id } } })), t('money.stopped'));
  };
  return (
    <Button size="compact-sm" variant="default" onClick={() => void stop()}>
      {t('money.stop')}
    </Button>
  );
}
