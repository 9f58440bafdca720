import { DialogActions } from '../../ui/DialogActions.tsx';
import './texts.ts';
import { Button, Checkbox, Modal, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type BodyOf, dataOf } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { useWrite } from '../../ui/actions/useWrite.ts';
import { LoadedPart } from '../../ui/DetailPage.tsx';
import { moneyText, numberOf } from '../../ui/form/numbers.ts';
import { useFormat } from '../../ui/format.tsx';
import { fieldText, say, textOf } from '../../ui/messages.tsx';
import type { Order } from '../orders/queries.ts';
import css from './money.module.css';
import { type OrderMoney, pendingOf, refundableOf, useOrderMoney } from './queries.ts';
import { type OpenLine, openParts } from './refundable.ts';
import { serviceName } from './ServicePayment.tsx';

interface RefundDialogProps {
  order: Order;
  onClose(): void;
}

/** Gives money of an order back, or records that it is given back by hand, by lines or by amount; at first what was paid too much. */
export function RefundDialog({ order, onClose }: RefundDialogProps) {
  const money = useOrderMoney(order.id);
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={t('money.refund.title', { id: order.id })}
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      <LoadedPart query={money}>{(loaded) => <Form order={order} money={loaded} onClose={onClose} />}</LoadedPart>
    </Modal>
  );
}

/** What is chosen of a line, as it is typed. */
interface Chosen {
  units: string;
  restock: boolean;
}

function Form({ order, money: shown, onClose }: RefundDialogProps & { money: OrderMoney }) {
  const { api, company } = useShop();
  const client = useQueryClient();
  const format = useFormat();
  const { currency } = order;
  // What is refetched while the dialog is open must not change what was chosen.
  const [{ ledger, payments, refunds }] = useState(shown);
  const open = openParts(order, refunds);
  const lines = open.lines.filter(({ left }) => left > 0);
  const isCancelled = order.status === 'cancelled';
  // What has not left the shop is for sale again.
  const returns = order.status === 'pending' || order.status === 'processing';
  const [chosen, setChosen] = useState<Record<number, Chosen>>({});
  const [shipping, setShipping] = useState('');
  const owedBack = -(ledger.balance ?? 0) - pendingOf(payments, currency);
  const service = payments.find((one) => one.provider !== 'manual' && refundableOf([one], currency) > 0);
  const hasManual = payments.some((one) => one.provider === 'manual' && refundableOf([one], currency) > 0);
  const [to, setTo] = useState<'original' | 'manual'>('original');
  const isSent = service !== undefined && to === 'original';
  const [amount, setAmount] = useState(owedBack > 0 ? moneyText(owedBack, currency) : null);
  const [reason, setReason] = useState('');

  const choiceOf = ({ id }: OpenLine): Chosen => chosen[id] ?? { units: '', restock: returns };
  const unitsOf = (line: OpenLine): number => {
    const units = numberOf(choiceOf(line).units.trim() || '0');
    return typeof units === 'number' && Number.isInteger(units) && units > 0 ? units : 0;
  };
  const shippingBack = Number(numberOf(shipping.trim() || '0')) || 0;
  const shares = lines.reduce((sum, line) => sum + line.shareOf(Math.min(unitsOf(line), line.left)), 0);
  const computed = moneyText(shares + shippingBack, currency);
  const typed = amount ?? (Number(computed) > 0 ? computed : '');
  const most = refundableOf(payments, currency);
  const isTooMuch = Number(numberOf(typed)) > most;
  const isMore = lines.some((line) => unitsOf(line) > line.left);

  const refund = useWrite({
    mutationFn: (body: BodyOf<'/orders/{id}/refunds', 'post'>) =>
      dataOf(api.POST('/orders/{id}/refunds', { params: { path: { id: order.id } }, body })),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: [company.id] });
      say(isSent ? t('money.refund.asked', { service: serviceName(service) }) : t('money.refunded'));
      onClose();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isTooMuch || isMore) return;
    const named = lines.filter((line) => unitsOf(line) > 0);
    refund.mutate({
      lines: named.map((line) => ({
        line_id: line.id,
        qty: unitsOf(line),
        restock: choiceOf(line).restock && !isCancelled,
      })),
      shipping: shippingBack,
      reason: reason.trim() || null,
      // By default, each payment is given back in the way in which it came.
      ...(isSent ? {} : { to: 'manual' as const }),
      // The server refuses what is no number.
      ...(amount === null || typed === '' ? {} : { amount: numberOf(typed) as number }),
    });
  };
  const takeAll = (): void => {
    setChosen(Object.fromEntries(lines.map((line) => [line.id, { ...choiceOf(line), units: String(line.left) }])));
    setShipping(open.shipping > 0 ? moneyText(open.shipping, currency) : '');
    setAmount(null);
  };
  return (
    <form className="stack" onSubmit={submit} noValidate>
      <p>
        {t('money.refund.most', { amount: format.money(most, currency) })} {isSent ? null : t('money.refund.by_hand')}
      </p>
      {service === undefined ? null : (
        <NativeSelect
          label={t('money.refund.to')}
          description={isSent ? t(hasManual ? 'money.refund.to.mixed' : 'money.refund.to.means') : undefined}
          value={to}
          onChange={(event) => setTo(event.currentTarget.value as typeof to)}
          data={[
            { value: 'original', label: t('money.refund.to.original', { service: serviceName(service) }) },
            { value: 'manual', label: t('money.refund.to.manual') },
          ]}
        />
      )}
      {lines.length === 0 ? null : (
        <Button className={css.all ?? ''} size="compact-sm" variant="default" onClick={takeAll}>
          {t('money.refund.all')}
        </Button>
      )}
      {lines.length === 0 ? null : (
        <ul className={css.lines}>
          {lines.map((line) => (
            <LineRow
              key={line.id}
              line={line}
              chosen={choiceOf(line)}
              units={unitsOf(line)}
              currency={currency}
              isCancelled={isCancelled}
              onChange={(choice) => setChosen((now) => ({ ...now, [line.id]: choice }))}
            />
          ))}
        </ul>
      )}
      <div className={css.fields}>
        {open.shipping > 0 ? (
          <TextInput
            label={t('order.shipping')}
            description={t('money.refund.shipping_left', { amount: format.money(open.shipping, currency) })}
            inputMode="decimal"
            autoComplete="off"
            value={shipping}
            onChange={(event) => setShipping(event.currentTarget.value)}
          />
        ) : null}
        <TextInput
          label={t('money.amount')}
          description={
            amount === null
              ? t('money.refund.computed')
              : t('money.refund.computed_as', { amount: format.money(Number(computed), currency) })
          }
          error={isTooMuch ? t('money.refund.too_much', { amount: format.money(most, currency) }) : undefined}
          required
          inputMode="decimal"
          autoComplete="off"
          rightSection={<span className="dim">{currency}</span>}
          rightSectionWidth={48}
          value={typed}
          onChange={(event) => setAmount(event.currentTarget.value)}
        />
      </div>
      <Textarea
        label={t('field.reason')}
        description={t('money.refund.reason')}
        rows={2}
        maxLength={500}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      {refund.error === null ? null : (
        <p role="alert" className={css.problem}>
          {problemOf(refund.error)}
        </p>
      )}
      <DialogActions
        submit={isSent ? t('money.refund') : t('money.refund.record')}
        onCancel={onClose}
        loading={refund.isPending}
      />
    </form>
  );
}

interface LineRowProps {
  line: OpenLine;
  chosen: Chosen;
  units: number;
  currency: string;
  isCancelled: boolean;
  onChange(chosen: Chosen): void;
}

function LineRow({ line, chosen, units, currency, isCancelled, onChange }: LineRowProps) {
  const format = useFormat();
  const share = line.shareOf(Math.min(units, line.left));
  return (
    <li>
      <span className={css.what}>
        <span className="break">{line.name}</span>
        <span className="dim num">
          {t('money.refund.left', { left: line.left, qty: line.qty })}
          {units > 0 ? ` · ${format.money(share, currency)}` : null}
        </span>
      </span>
      <TextInput
        size="xs"
        aria-label={t('money.refund.units_of', { name: line.name })}
        placeholder="0"
        inputMode="numeric"
        autoComplete="off"
        error={units > line.left ? t('money.refund.at_most', { n: line.left }) : undefined}
        value={chosen.units}
        onChange={(event) => onChange({ ...chosen, units: event.currentTarget.value })}
      />
      {units > 0 ? (
        <Checkbox
          size="xs"
          className={css.restock ?? ''}
          label={t('money.refund.restock')}
          aria-label={t('money.refund.restock_of', { name: line.name })}
          description={isCancelled ? t('money.refund.restock.cancelled') : undefined}
          disabled={isCancelled}
          checked={chosen.restock && !isCancelled}
          onChange={(event) => onChange({ ...chosen, restock: event.currentTarget.checked })}
        />
      ) : null}
    </li>
  );
}

/** The server's errors of fields, or that of the request. */
function problemOf(error: Error): string {
  const fields = error instanceof ApiError ? error.fields : [];
  return fields.length === 0 ? textOf(error) : fields.map(fieldText).join('; ');
}
