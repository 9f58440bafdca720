import { Button, Modal, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type KeyboardEvent, useRef, useState } from 'react';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { draftKey, readDraft, useKeptDraft } from '../../ui/form/drafts.tsx';
import { say, textOf } from '../../ui/messages.tsx';
import { type WithCustomer, withCustomers } from '../customers/queries.ts';
import { moveOrder, type Order } from './queries.ts';
import css from './ShipDialog.module.css';

/** Concurrent requests, so that forty orders take seconds and leave the server to others. */
const AT_ONCE = 4;

/** Numbers as they are typed, by the order's id; kept until they are sent, even if the dialog is closed or the page reloaded. */
type Numbers = Record<string, string>;
type Outcome = 'waiting' | 'done' | { failed: string };

interface ShipDialogProps {
  orders: Order[];
  /** Called once some of them are shipped. */
  unselect?: () => void;
  onClose: () => void;
}

/** Ships orders, each with its tracking number; a failure is shown for that order, and the others continue. */
export function ShipDialog({ orders, unselect, onClose }: ShipDialogProps) {
  const { api, can, company } = useShop();
  const client = useQueryClient();
  const kept = draftKey(company, 'tracking-numbers');
  const [first] = useState(() => readDraft<Numbers>(kept) ?? {});
  const [typed, setTyped] = useState(first);
  const own = new Set(orders.map(({ id }) => String(id)));
  const touched = Object.keys(typed).some((id) => own.has(id));
  useKeptDraft(kept, typed, {});
  const numberOf = ({ id, tracking_number }: Order): string => typed[id] ?? tracking_number ?? '';
  const form = useRef<HTMLFormElement>(null);
  const [outcomes, setOutcomes] = useState<Record<number, Outcome>>({});
  const lastCarrier = `tradeloom-carrier-${company.id}`;
  const [carrier, setCarrier] = useState(() => localStorage.getItem(lastCarrier) ?? '');
  const [busy, setBusy] = useState(false);
  const left = orders.filter(({ id }) => outcomes[id] !== 'done');
  const untracked = left.filter((order) => numberOf(order).trim() === '').length;
  const ids = orders.map(({ id }) => id);
  const named = useQuery({
    queryKey: [company.id, 'customers', 'of-orders', ids],
    enabled: can('customers:read'),
    queryFn: ({ signal }) => withCustomers(api, { rows: orders, total: orders.length }, signal),
  });
  const nameOf = new Map(named.data?.rows.map((row: WithCustomer<Order>) => [row.id, row.customer?.name]));

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    localStorage.setItem(lastCarrier, carrier.trim());
    const queue = [...left];
    let failed = 0;
    const work = async (): Promise<void> => {
      for (let order = queue.shift(); order !== undefined; order = queue.shift()) {
        const { id } = order;
        setOutcomes((now) => ({ ...now, [id]: 'waiting' }));
        const number = numberOf(order).trim();
        const result: Outcome = await moveOrder(api, id, {
          status: 'shipped',
          ...(number ? { tracking_number: number } : {}),
          ...(carrier.trim() ? { carrier: carrier.trim() } : {}),
        }).then(
          () => 'done' as const,
          (error: unknown) => ({ failed: textOf(error) }),
        );
        if (result === 'done') setTyped(({ [id]: _sent, ...others }) => others);
        else failed++;
        setOutcomes((now) => ({ ...now, [id]: result }));
      }
    };
    const count = queue.length;
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    setBusy(false);
    await client.invalidateQueries({ queryKey: [company.id, 'orders'] });
    if (count > failed) {
      say(t('order.shipped_n', { n: count - failed }));
      unselect?.();
    }
    if (failed === 0) onClose();
  };

  /** A barcode scanner ends each number with Enter: goes to the next field without submitting. */
  const goOn = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    const fields = [...(form.current?.querySelectorAll<HTMLElement>('input:enabled, button[type="submit"]') ?? [])];
    fields[fields.indexOf(event.currentTarget) + 1]?.focus();
  };
  const stays = touched || busy;
  return (
    <Modal
      opened
      onClose={onClose}
      closeOnEscape={!stays}
      closeOnClickOutside={!stays}
      size="lg"
      title={t('order.ship_title', { n: orders.length })}
      closeButtonProps={{ 'aria-label': t('action.close'), disabled: busy }}
    >
      <form ref={form} onSubmit={submit} className="stack">
        <TextInput
          size="xs"
          label={t('order.carrier')}
          description={t('order.carrier.help')}
          maxLength={100}
          value={carrier}
          onKeyDown={goOn}
          disabled={busy}
          onChange={(event) => setCarrier(event.currentTarget.value)}
        />
        <ul className={css.orders}>
          {orders.map((order) => {
            const outcome = outcomes[order.id];
            return (
              <li key={order.id}>
                <span className={css.name}>
                  <strong>#{order.id}</strong> {nameOf.get(order.id)} <span className="dim">{order.shipping_city}</span>
                </span>
                <TextInput
                  size="xs"
                  aria-label={t('order.tracking_of', { id: order.id })}
                  placeholder={t('order.tracking')}
                  value={numberOf(order)}
                  onKeyDown={goOn}
                  disabled={busy || outcome === 'done'}
                  error={typeof outcome === 'object' ? outcome.failed : undefined}
                  onChange={(event) => {
                    const value = event.currentTarget.value;
                    setTyped((now) => ({ ...now, [order.id]: value }));
                  }}
                />
                <span className={css.outcome}>
                  {outcome === 'done' ? t('status.shipped') : outcome === 'waiting' ? '…' : ''}
                </span>
              </li>
            );
          })}
        </ul>
        <div className="row">
          {/* With one order, the empty field is obvious; among many it is overlooked. */}
          <span role="status" className="grow dim">
            {untracked > 0 && orders.length > 1 ? t('order.untracked', { n: untracked }) : null}
          </span>
          <Button variant="default" disabled={busy} onClick={onClose}>
            {t('action.close')}
          </Button>
          <Button type="submit" loading={busy} disabled={left.length === 0}>
            {t('order.ship')}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
