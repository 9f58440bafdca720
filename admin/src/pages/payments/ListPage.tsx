import './texts.ts';
import { Button } from '@mantine/core';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type Rows, rowsOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { LoadedPart, Section } from '../../ui/DetailPage.tsx';
import { Day, Moment, useFormat } from '../../ui/format.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { Status } from '../../ui/Status.tsx';
import type { Order } from '../orders/queries.ts';
import css from './money.module.css';
import { StopAwaiting } from './Payments.tsx';
import { type Payment, useEndingPayments, useOverduePayments, usePaymentsToCheck } from './queries.ts';
import { RecordDialog } from './RecordDialog.tsx';
import { RefundDialog } from './RefundDialog.tsx';
import { Operations, ServiceActions, ServiceFacts } from './ServicePayment.tsx';

/** More are rare, and are shown once these are dealt with. */
const MOST = 50;

/** Money that somebody has to look at: at payment services, what is to be paid back, and what has not come in time. */
export function ListPage() {
  return (
    <>
      <PageHeader title={t('nav.money')} back={{ path: 'orders', text: t('nav.orders') }} />
      <div className="stack">
        <ToCheck />
        <Ending />
        <ToPayBack />
        <Overdue />
      </div>
    </>
  );
}

interface PartProps<Row> {
  title: string;
  text: string;
  none: string;
  query: UseQueryResult<Rows<Row>>;
  row(row: Row): ReactNode;
}

/** The rows of one kind, with what to do about them; one line where there are none. */
function Part<Row>({ title, text, none, query, row }: PartProps<Row>) {
  const format = useFormat();
  const more = query.data !== undefined && query.data.total > MOST ? query.data.total : null;
  return (
    <Section
      title={title}
      actions={
        more === null ? null : <span className="dim">{t('money.more', { n: format.number(more), shown: MOST })}</span>
      }
    >
      <LoadedPart query={query}>
        {({ rows }) =>
          rows.length === 0 ? (
            <p className={`${css.none} dim`}>
              <Icon name="check" size={18} /> {none}
            </p>
          ) : (
            <>
              <p className={`${css.intro} dim`}>{text}</p>
              <ul className={`${css.entries} ${css.cases}`}>{rows.map(row)}</ul>
            </>
          )
        }
      </LoadedPart>
    </Section>
  );
}

function ToPayBack() {
  const { api, company, can } = useShop();
  const format = useFormat();
  const [paying, setPaying] = useState<Order | null>(null);
  const query = useQuery({
    queryKey: [company.id, 'orders', 'credit'],
    meta: { live: ['orders'] },
    queryFn: ({ signal }) => {
      // The newest first: an import may bring many old ones.
      const filters = { balance: 'credit', per_page: MOST } as const;
      return rowsOf(api.GET('/orders', { params: { query: filters }, signal }));
    },
  });
  return (
    <>
      <Part
        title={t('money.to_pay_back')}
        text={t('money.to_pay_back.text')}
        none={t('money.to_pay_back.none')}
        query={query}
        row={(order) => (
          <li key={order.id}>
            <span className={css.what}>
              <div>
                <Anchor path={`orders/${order.id}`}>{t('order.title', { id: order.id })}</Anchor>
                <Status value={order.status} />
              </div>
              <span className="dim">
                {t('field.placed')}: <Moment at={order.created_at} />
              </span>
              {order.origin === null ? <span>{t('money.to_pay_back.imported')}</span> : null}
            </span>
            <span className={css.right}>
              <strong className="num">{format.money(-(order.balance ?? 0), order.currency)}</strong>
              {can('payments:write') ? (
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={t('money.pay_back.of', { id: order.id })}
                  onClick={() => setPaying(order)}
                >
                  {t('money.pay_back')}
                </Button>
              ) : null}
            </span>
          </li>
        )}
      />
      {paying === null ? null : <RefundDialog order={paying} onClose={() => setPaying(null)} />}
    </>
  );
}

function ToCheck() {
  return (
    <Part
      title={t('money.to_check')}
      text={t('money.to_check.text')}
      none={t('money.to_check.none')}
      query={usePaymentsToCheck(MOST)}
      row={(payment) => <AtService key={payment.id} payment={payment} amount={payment.amount} />}
    />
  );
}

function Ending() {
  return (
    <Part
      title={t('money.ending')}
      text={t('money.ending.text')}
      none={t('money.ending.none')}
      query={useEndingPayments(MOST)}
      row={(payment) => <AtService key={payment.id} payment={payment} amount={payment.authorized - payment.captured} />}
    />
  );
}

/** A payment by a service, with what the service says of it. */
function AtService({ payment, amount }: { payment: Payment; amount: number }) {
  const { can } = useShop();
  const format = useFormat();
  return (
    <li>
      <span className={css.what}>
        <div>
          <Subject payment={payment} />
          <Status value={payment.status} of="payment_status" />
          {payment.mode === 'test' ? <Status value="test" /> : null}
        </div>
        <span className="break">{payment.label}</span>
        <ServiceFacts payment={payment} />
        <Operations payment={payment} />
      </span>
      <span className={css.right}>
        <strong className="num">{format.money(amount, payment.currency)}</strong>
        {can('payments:write') ? <ServiceActions payment={payment} /> : null}
      </span>
    </li>
  );
}

function Overdue() {
  const { can } = useShop();
  const format = useFormat();
  const [recording, setRecording] = useState<{ orderId: number; owed: number; methodId: number } | null>(null);
  return (
    <>
      <Part
        title={t('money.overdue')}
        text={t('money.overdue.text')}
        none={t('money.overdue.none')}
        query={useOverduePayments(MOST)}
        row={(payment) => {
          const { id, order_id: orderId, method_id: methodId, label, reference, due_on, currency } = payment;
          const rest = payment.amount - payment.captured;
          return (
            <li key={id}>
              <span className={css.what}>
                <Subject payment={payment} />
                <span className="break">{reference === null ? label : `${label} · ${reference}`}</span>
                <span className="dim">
                  {t('money.due')}: <Day on={due_on} />
                </span>
              </span>
              <span className={css.right}>
                <strong className="num">{format.money(rest, currency)}</strong>
                {can('payments:write') ? (
                  <span className={css.todo}>
                    {orderId === null ? null : (
                      <Button
                        size="compact-sm"
                        variant="default"
                        onClick={() => setRecording({ orderId, methodId, owed: rest })}
                      >
                        {t('money.record')}
                      </Button>
                    )}
                    <StopAwaiting payment={payment} />
                  </span>
                ) : null}
              </span>
            </li>
          );
        }}
      />
      {recording === null ? null : <RecordDialog {...recording} onClose={() => setRecording(null)} />}
    </>
  );
}

/** The order of a payment, or the cart that has not become one. */
function Subject({ payment: { order_id, cart_id } }: { payment: Payment }) {
  return order_id === null ? (
    <Anchor path={`carts/${cart_id}`}>{t('money.cart', { id: cart_id })}</Anchor>
  ) : (
    <Anchor path={`orders/${order_id}`}>{t('order.title', { id: order_id })}</Anchor>
  );
}
