import { t } from '../../i18n/i18n.ts';
import { Section } from '../../ui/DetailPage.tsx';
import css from './DetailPage.module.css';
import type { Order } from './queries.ts';

/** The invoice address of an order or a cart, where it differs. */
export function Billing({ billing }: { billing: NonNullable<Order['billing']> }) {
  const { first_name, last_name, company, address, city, state, zip, country } = billing;
  const lines = [
    company,
    `${first_name} ${last_name}`.trim(),
    address,
    [zip, city, state].filter(Boolean).join(' '),
    country,
  ];
  return (
    <Section title={t('order.billing')}>
      <address className={css.address}>
        {lines.filter(Boolean).map((line) => (
          <div key={line}>{line}</div>
        ))}
      </address>
    </Section>
  );
}
