import { t, tOf } from '../../i18n/i18n.ts';
import { actorText } from '../../ui/actor.ts';
import { Section } from '../../ui/DetailPage.tsx';
import { Day, Moment, useFormat } from '../../ui/format.tsx';
import css from './money.module.css';
import type { LedgerEntry, OrderMoney } from './queries.ts';

/** Both sides of an order's ledger: what the buyer owes, and what the shop received. */
export function Ledger({ money, currency }: { money: OrderMoney; currency: string }) {
  const { ledger, payments } = money;
  const sides = [
    { side: 'charge' as const, sum: ledger.charged },
    { side: 'payment' as const, sum: ledger.paid - ledger.refunded },
  ];
  const labels = new Map(payments.map(({ id, label }) => [id, label]));
  return (
    <Section title={t('money.ledger')}>
      <div className={css.sides}>
        {sides.map(({ side, sum }) => (
          <Side
            key={side}
            title={t(`money.side.${side}`)}
            entries={ledger.entries.filter((entry) => entry.side === side)}
            sum={sum}
            currency={currency}
            labels={labels}
          />
        ))}
      </div>
    </Section>
  );
}

interface SideProps {
  title: string;
  entries: LedgerEntry[];
  sum: number;
  currency: string;
  /** The names of payments, by id. */
  labels: ReadonlyMap<number, string>;
}

function Side({ title, entries, sum, currency, labels }: SideProps) {
  const format = useFormat();
  return (
    <div>
      <h3 className={css.side}>{title}</h3>
      <ul className={css.entries}>
        {entries.map((entry) => (
          <li key={entry.id}>
            <span className={css.what}>
              <span className="break">{nameOf(entry, labels)}</span>
              <span className="dim break">
                {entry.received_on === null ? <Moment at={entry.created_at} /> : <Day on={entry.received_on} />}
                {' · '}
                {actorText(entry.actor, null)}
              </span>
            </span>
            <span className="num">{format.money(entry.amount, currency)}</span>
          </li>
        ))}
        <li className={css.sum}>
          <span>{t('money.sum')}</span>
          <span className="num">{format.money(sum, currency)}</span>
        </li>
      </ul>
    </div>
  );
}

/** What an entry was written for, with the payment it belongs to. */
function nameOf({ kind, payment_id, reference }: LedgerEntry, labels: SideProps['labels']): string {
  const label = payment_id === null ? undefined : labels.get(payment_id);
  return [tOf('money.entry', kind), label, reference].filter(Boolean).join(' · ');
}
