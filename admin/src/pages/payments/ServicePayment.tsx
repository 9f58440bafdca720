import './texts.ts';
import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type BodyOf, dataOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { isRepeated } from '../../ui/actions/double-click.ts';
import { LoadedPart } from '../../ui/DetailPage.tsx';
import { ask } from '../../ui/Dialogs.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { moneyText } from '../../ui/form/numbers.ts';
import { Moment, useFormat } from '../../ui/format.tsx';
import { say, sayError } from '../../ui/messages.tsx';
import { Status } from '../../ui/Status.tsx';
import css from './money.module.css';
import { heldOf, type Operation, type Payment, type PaymentDetail, usePayment } from './queries.ts';

const NAMES: Record<string, string> = { stripe: 'Stripe', mollie: 'Mollie' };
const OPEN: readonly Payment['status'][] = ['created', 'action_required', 'processing', 'authorized'];

export function serviceName({ provider }: Pick<Payment, 'provider'>): string {
  return NAMES[provider] ?? provider;
}

/** What a payment service says of a payment. */
export function ServiceFacts({ payment }: { payment: Payment }) {
  const format = useFormat();
  const { currency, amount, authorized, captured, authorized_until, refund_pending, failure } = payment;
  const { disputed, dispute_due_by } = payment;
  const figure = (of: number): string => format.money(of, currency);
  return (
    <>
      {payment.provider_ref === null ? null : <Reference payment={payment} />}
      {payment.status === 'authorized' ? (
        <span>
          {t('money.authorized', { amount: figure(authorized - captured) })}
          <Until text={t('money.authorized_until')} at={authorized_until} />
        </span>
      ) : null}
      {captured > 0 && captured !== amount ? <span>{t('money.received_of', { amount: figure(captured) })}</span> : null}
      {refund_pending > 0 ? <span>{t('money.refund_pending', { amount: figure(refund_pending) })}</span> : null}
      {disputed > 0 ? (
        <span>
          {t('money.disputed', { amount: figure(disputed) })}
          <Until text={t('money.dispute_due_by')} at={dispute_due_by} />
        </span>
      ) : null}
      {failure === null ? null : (
        <span className="break">
          {tOf('money.failure', failure.code)}
          {failure.message === '' ? null : <span className="dim"> · {failure.message}</span>}
        </span>
      )}
      {payment.attention === null ? null : <strong>{tOf('money.attention', payment.attention)}</strong>}
    </>
  );
}

function Until({ text, at }: { text: string; at: string | null }) {
  if (at === null) return null;
  return (
    <>
      {' · '}
      {text} <Moment at={at} />
    </>
  );
}

/** The service's id of a payment, as a link to it in the service's dashboard. */
function Reference({ payment: { provider, provider_ref, mode } }: { payment: Payment }) {
  const id = encodeURIComponent(provider_ref!);
  const url =
    provider === 'stripe'
      ? `https://dashboard.stripe.com/${mode === 'test' ? 'test/' : ''}payments/${id}`
      : `https://my.mollie.com/dashboard/payments/${id}`;
  return (
    <a className={`${css.ref} break`} href={url} target="_blank" rel="noreferrer">
      {provider_ref}
    </a>
  );
}

/** What can still be done with a payment by a service; nothing once it has ended. */
export function ServiceActions({ payment }: { payment: Payment }) {
  const [capturing, setCapturing] = useState(false);
  const cancel = useCancel(payment);
  const returns = holdsWrong(payment);
  if (!OPEN.includes(payment.status) && !returns) return null;
  const canCapture = payment.status === 'authorized' && payment.order_id !== null && !payment.wrong;
  return (
    <span className={css.todo}>
      {canCapture ? (
        <Button size="compact-sm" variant="default" onClick={() => setCapturing(true)}>
          {t('money.capture')}
        </Button>
      ) : null}
      <Button size="compact-sm" variant="default" onClick={() => void cancel()}>
        {t(returns ? 'money.return' : 'money.cancel')}
      </Button>
      {capturing ? <CaptureDialog payment={payment} onClose={() => setCapturing(false)} /> : null}
    </span>
  );
}

/** Whether money that is not the order's can be given back. */
function holdsWrong(payment: Payment): boolean {
  return payment.wrong && heldOf(payment) > 0;
}

function useCancel(payment: Payment): () => Promise<void> {
  const { api, company } = useShop();
  const client = useQueryClient();
  return async () => {
    const { id, label, captured } = payment;
    const returns = holdsWrong(payment);
    const text =
      captured > 0 ? 'money.cancel.rest' : payment.order_id === null ? 'money.stop.cart' : 'money.cancel.text';
    const sure = await ask({
      title: t(returns ? 'money.return.title' : 'money.cancel.title', { label }),
      text: t(returns ? 'money.return.text' : text),
      action: t(returns ? 'money.return' : 'money.cancel'),
    });
    if (!sure || isRepeated()) return;
    try {
      const after = await dataOf(api.POST('/payments/{id}/cancel', { params: { path: { id } } }));
      sayOutcome(after, t(returns ? 'money.returned' : 'money.cancelled'));
    } catch (error) {
      sayError(error);
    }
    await client.invalidateQueries({ queryKey: [company.id] });
  };
}

function CaptureDialog({ payment: given, onClose }: { payment: Payment; onClose(): void }) {
  const { api } = useShop();
  const format = useFormat();
  // What is refetched while the dialog is open does not change what it says.
  const [payment] = useState(given);
  const { id, authorized, captured, currency } = payment;
  const left = Number(moneyText(authorized - captured, currency));
  return (
    <FormDialog<BodyOf<'/payments/{id}/capture', 'post'>>
      title={t('money.capture.title', { label: payment.label })}
      text={t('money.capture.text', { amount: format.money(left, currency) })}
      fields={[{ name: 'amount', label: t('money.amount'), type: 'money', required: true }]}
      initial={{ amount: moneyText(left, currency) }}
      submit={t('money.capture')}
      save={async (body) => {
        const after = await dataOf(api.POST('/payments/{id}/capture', { params: { path: { id } }, body }));
        sayOutcome(after, t('money.captured'));
      }}
      onClose={onClose}
    />
  );
}

/** Says what became of the newest operation at the service. */
function sayOutcome(payment: PaymentDetail, done: string): void {
  const newest = payment.operations.at(-1);
  const service = serviceName(payment);
  if (newest?.state === 'declined') say(t('money.declined', { service, message: newest.error ?? '' }), true);
  else say(newest?.state === 'done' ? done : t('money.asked', { service }));
}

/** The calls to the service of a payment, which are loaded when they are shown. */
export function Operations({ payment }: { payment: Payment }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={css.operations} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t('money.operations')}</summary>
      {isOpen ? <OperationList payment={payment} /> : null}
    </details>
  );
}

function OperationList({ payment }: { payment: Payment }) {
  const query = usePayment(payment.id);
  return (
    <LoadedPart query={query}>
      {({ operations }) =>
        operations.length === 0 ? (
          <p className="dim">{t('money.operations.none')}</p>
        ) : (
          <ul className={css.entries}>
            {operations.map((operation) => (
              <OperationRow key={operation.id} operation={operation} currency={payment.currency} />
            ))}
          </ul>
        )
      }
    </LoadedPart>
  );
}

function OperationRow({ operation, currency }: { operation: Operation; currency: string }) {
  const format = useFormat();
  const { kind, state, amount, attempts, error, created_at } = operation;
  return (
    <li>
      <span className={css.what}>
        <div>
          {tOf('money.operation', kind)}
          <Status value={state} of="operation" />
        </div>
        {error === null || state === 'done' ? null : <span className="break">{error}</span>}
        <span className="dim">
          <Moment at={created_at} />
          {attempts > 1 ? ` · ${t('money.attempts', { n: attempts })}` : null}
        </span>
      </span>
      {kind === 'cancel' ? null : <span className="num">{format.money(amount, currency)}</span>}
    </li>
  );
}
