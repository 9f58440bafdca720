import { Button, Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { moneyText, numberOf } from '../../ui/form/numbers.ts';
import { type PaymentMethod, usePaymentMethods } from '../payment-methods/queries.ts';
import css from './carts.module.css';
import type { Cart } from './queries.ts';

/** How a cart is paid: money that is awaited, or has arrived. */
export interface Pay {
  methodId: number;
  /** What was received; `total`: all of it; null: the money is awaited. */
  received: number | 'total' | null;
}

/** By these, money changes hands when the order is placed. */
const AT_THE_TILL: readonly PaymentMethod['kind'][] = ['cash', 'card_terminal'];

/** The methods by which the cart can be paid, those for staff among them, and the button that begins it. */
export function PayBy({ cart, busy, onPay }: { cart: Cart; busy: boolean; onPay: (pay: Pay) => void }) {
  const { can } = useShop();
  const [chosen, setChosen] = useState('');
  const [ticked, setTicked] = useState<boolean | null>(null);
  const [typed, setTyped] = useState<string | null>(null);
  const { data: methods = [] } = usePaymentMethods();
  const offered = methods.filter((method) => isOffered(method, cart.total));
  const method = offered.find(({ id }) => String(id) === chosen) ?? offered[0];
  if (method === undefined || cart.lines.length === 0) return null;
  const mayRecord = can('payments:write') && cart.total > 0;
  const hasArrived = mayRecord && (ticked ?? AT_THE_TILL.includes(method.kind));
  // The server refuses what is no number.
  const received = typed === null ? 'total' : (numberOf(typed) as number);
  const text = hasArrived
    ? t('cart.arrived.text')
    : t(method.places === 'when_paid' ? 'cart.pay_by.when_paid' : 'cart.pay_by.at_once');
  return (
    <div className={css.pay}>
      <NativeSelect
        label={t('cart.pay_by')}
        description={text}
        value={String(method.id)}
        data={offered.map(({ id, name }) => ({ value: String(id), label: name }))}
        onChange={(event) => {
          setChosen(event.currentTarget.value);
          setTicked(null);
        }}
      />
      {mayRecord ? (
        <Checkbox
          label={t('cart.arrived')}
          checked={hasArrived}
          onChange={(event) => setTicked(event.currentTarget.checked)}
        />
      ) : null}
      {hasArrived ? (
        <TextInput
          label={t('cart.arrived.amount')}
          inputMode="decimal"
          autoComplete="off"
          rightSection={<span className="dim">{cart.currency}</span>}
          rightSectionWidth={48}
          value={typed ?? moneyText(cart.total, cart.currency)}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      ) : null}
      <Button
        fullWidth
        variant="default"
        loading={busy}
        onClick={() => onPay({ methodId: method.id, received: hasArrived ? received : null })}
      >
        {t(hasArrived ? 'cart.take' : 'cart.pay')}
      </Button>
    </div>
  );
}

function isOffered({ active, min_total, max_total }: PaymentMethod, total: number): boolean {
  return active && total >= (min_total ?? 0) && (max_total === null || total <= max_total);
}
