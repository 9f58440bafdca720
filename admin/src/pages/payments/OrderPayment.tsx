import './texts.ts';
import { Button } from '@mantine/core';
import { useId, useState } from 'react';
import { dataOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { LoadedPart, Section } from '../../ui/DetailPage.tsx';
import { useFormat } from '../../ui/format.tsx';
import { Status } from '../../ui/Status.tsx';
import type { Order } from '../orders/queries.ts';
import { usePaymentMethods } from '../payment-methods/queries.ts';
import { Ledger } from './Ledger.tsx';
import css from './money.module.css';
import { PayLinkButton } from './PayLinkButton.tsx';
import { Payments } from './Payments.tsx';
import { type OrderMoney, owedFor, pendingOf, refundableOf, useOrderMoney } from './queries.ts';
import { RecordDialog } from './RecordDialog.tsx';
import { RefundDialog } from './RefundDialog.tsx';
import { Refunds } from './Refunds.tsx';

/** What was paid for an order, what is to be done about it, and its ledger. */
export function OrderPayment({ order }: { order: Order }) {
  const query = useOrderMoney(order.id);
  const { data } = query;
  return (
    <>
      <Section
        title={t('money.title')}
        actions={data === undefined ? null : <Status value={data.ledger.payment_status} of="payment_status" />}
      >
        <LoadedPart query={query}>{(money) => <Money order={order} money={money} />}</LoadedPart>
      </Section>
      {data === undefined || data.ledger.entries.length === 0 ? null : (
        <Ledger money={data} currency={order.currency} />
      )}
    </>
  );
}

function Money({ order, money }: { order: Order; money: OrderMoney }) {
  const { can } = useShop();
  const format = useFormat();
  const { ledger, payments, refunds } = money;
  const figure = (amount: number): string => format.money(amount, order.currency);
  const figures = [
    [t('order.total'), order.total],
    [t('money.paid'), ledger.paid],
    [t('money.refunded_sum'), ledger.refunded],
    [t('money.balance'), ledger.balance ?? 0],
  ] as const;
  return (
    <div className="stack">
      <p className={css.next}>{nextStep(order, money, figure)}</p>
      {ledger.balance === null ? null : (
        <dl className={css.figures}>
          {figures.map(([name, amount]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd className="num">{figure(amount)}</dd>
            </div>
          ))}
        </dl>
      )}
      {can('payments:write') ? <Actions order={order} money={money} /> : null}
      <Payments payments={payments} />
      <Refunds order={order} refunds={refunds} />
    </div>
  );
}

/** A shop that takes its money elsewhere is told of no debts: its orders have no ledger. */
function nextStep(
  { currency, origin }: Order,
  { ledger: { balance, paid, refunded }, payments }: OrderMoney,
  figure: (amount: number) => string,
): string {
  if (balance === null) return t('money.next.none');
  const sending = pendingOf(payments, currency);
  if (sending > 0 && -balance <= sending) return t('money.next.sending', { amount: figure(sending) });
  if (balance < 0)
    return t(origin === null ? 'money.next.back_imported' : 'money.next.back', { amount: figure(-balance - sending) });
  if (balance > 0) return t('money.next.owed', { amount: figure(balance) });
  return t(paid > refunded ? 'money.next.paid' : 'money.next.nothing');
}

function Actions({ order, money }: { order: Order; money: OrderMoney }) {
  const { api } = useShop();
  const [dialog, setDialog] = useState<'record' | 'refund' | null>(null);
  const methods = usePaymentMethods();
  const hints = useId();
  const { ledger } = money;
  const owed = owedFor(order, ledger);
  const hasLedger = ledger.balance !== null;
  const owesBack = owed + pendingOf(money.payments, order.currency) < 0;
  const canRefund = refundableOf(money.payments, order.currency) > 0;
  const canLink = owed > 0;
  const awaited = money.payments.find(({ provider, status }) => provider === 'manual' && status === 'action_required');
  const hasMethods =
    awaited !== undefined || (methods.data?.some(({ active, provider }) => active && provider === 'manual') ?? true);
  /** Why a button is disabled. */
  const reasons = [
    ...(hasMethods ? [] : [t('money.no_method')]),
    ...(canRefund || !hasLedger ? [] : [t('money.no_refund')]),
    ...(canLink ? [] : [t('money.no_link')]),
  ];
  const described = reasons.length > 0 ? hints : undefined;
  const close = (): void => setDialog(null);
  return (
    <>
      <div className="row">
        <Button
          variant={hasLedger && owed > 0 ? 'filled' : 'default'}
          disabled={!hasMethods}
          aria-describedby={described}
          onClick={() => setDialog('record')}
        >
          {t('money.record')}
        </Button>
        {hasLedger ? (
          <Button
            variant={owesBack ? 'filled' : 'default'}
            disabled={!canRefund}
            aria-describedby={described}
            onClick={() => setDialog('refund')}
          >
            {t(owesBack ? 'money.pay_back' : 'money.refund')}
          </Button>
        ) : null}
        <PayLinkButton
          disabled={!canLink}
          make={(send) =>
            dataOf(api.POST('/orders/{id}/pay-link', { params: { path: { id: order.id } }, body: { send } }))
          }
        />
      </div>
      {reasons.length === 0 ? null : (
        <ul id={hints} className={`${css.hints} dim`}>
          {reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      )}
      {hasMethods ? null : <Anchor path="payment-methods/new">{t('money.no_method.new')}</Anchor>}
      {dialog === 'record' ? (
        <RecordDialog orderId={order.id} owed={owed} methodId={awaited?.method_id} onClose={close} />
      ) : null}
      {dialog === 'refund' ? <RefundDialog order={order} onClose={close} /> : null}
    </>
  );
}
