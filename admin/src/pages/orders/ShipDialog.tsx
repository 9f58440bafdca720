import { Button, Modal, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { say, textOf } from '../../ui/messages.tsx';
import { moveOrder, type Order } from './queries.ts';
import css from './ShipDialog.module.css';

/** At once on the way, so that forty orders take seconds and leave the server to others. */
const AT_ONCE = 4;

type Outcome = 'waiting' | 'done' | { failed: string };

/** Marks orders as shipped, each with its tracking number; one that fails is told alone, and the others go on. */
export function ShipDialog({ orders, onClose }: { orders: Order[]; onClose: () => void }) {
  const { api, company } = useShop();
  const client = useQueryClient();
  const [numbers, setNumbers] = useState<Record<number, string>>(() =>
    Object.fromEntries(orders.map((order) => [order.id, order.tracking_number ?? ''])),
  );
  const [outcomes, setOutcomes] = useState<Record<number, Outcome>>({});
  const [busy, setBusy] = useState(false);
  const left = orders.filter(({ id }) => outcomes[id] !== 'done');

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    const queue = [...left];
    let failed = 0;
    const work = async (): Promise<void> => {
      for (let order = queue.shift(); order !== undefined; order = queue.shift()) {
        const { id } = order;
        setOutcomes((now) => ({ ...now, [id]: 'waiting' }));
        const number = numbers[id]?.trim();
        const result: Outcome = await moveOrder(api, id, {
          status: 'shipped',
          ...(number ? { tracking_number: number } : {}),
        }).then(
          () => 'done' as const,
          (error: unknown) => ({ failed: textOf(error) }),
        );
        if (result !== 'done') failed++;
        setOutcomes((now) => ({ ...now, [id]: result }));
      }
    };
    const count = queue.length;
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    setBusy(false);
    await client.invalidateQueries({ queryKey: [company.id, 'orders'] });
    if (count > failed) say(t('order.shipped_n', { n: count - failed }));
    if (failed === 0) onClose();
  };

  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={t('order.ship_title', { n: orders.length })}
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      <form onSubmit={submit} className="stack">
        <ul className={css.orders}>
          {orders.map((order) => {
            const outcome = outcomes[order.id];
            return (
              <li key={order.id}>
                <span className={css.name}>
                  <strong>#{order.id}</strong> <span className="dim">{order.shipping_city}</span>
                </span>
                <TextInput
                  size="xs"
                  aria-label={t('order.tracking_of', { id: order.id })}
                  placeholder={t('order.tracking')}
                  value={numbers[order.id] ?? ''}
                  disabled={busy || outcome === 'done'}
                  error={typeof outcome === 'object' ? outcome.failed : undefined}
                  onChange={(event) => {
                    const value = event.currentTarget.value;
                    setNumbers((now) => ({ ...now, [order.id]: value }));
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
          <span className="grow" />
          <Button variant="default" onClick={onClose}>
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
