import type { ReactNode } from 'react';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { LoadedPart, Section } from '../../ui/DetailPage.tsx';
import { dayIn, daysBefore } from '../../ui/form/days.ts';
import { useFormat } from '../../ui/format.tsx';
import { Icon } from '../../ui/Icon.tsx';
import css from './Page.module.css';
import { useAttention } from './queries.ts';

const MOST = 1_000;

/** The page that deals with each kind, and its scope; without a path the person is shown what to set. */
const pages = (timeZone: string): Record<string, { path?: string; scope: string }> => ({
  events_refused: { path: 'developers/refused', scope: 'marketing:read' },
  deliveries_failed: { path: 'webhooks', scope: 'marketing:read' },
  marketing_paused: { path: 'settings/deliverability', scope: 'marketing:read' },
  near_limits: { path: 'settings/deliverability', scope: 'marketing:read' },
  messages_held: { scope: 'marketing:read' },
  orders_waiting: {
    path: `orders?status=pending&date_to=${daysBefore(dayIn(timeZone), 1)}&sort=oldest`,
    scope: 'orders:read',
  },
  orders_to_pay_back: { path: 'payments', scope: 'payments:read' },
  payments_to_check: { path: 'payments', scope: 'payments:read' },
  subscriptions_past_due: { path: 'subscriptions?status=past_due', scope: 'subscriptions:read' },
});

export function Attention() {
  const { can, company } = useShop();
  const format = useFormat();
  const query = useAttention();
  const { data } = query;
  const PAGES = pages(company.time_zone);
  const shown = (data ?? []).flatMap(({ kind, count, hint }) => {
    // Unpaid orders have a tile.
    if (kind === 'orders_unpaid' || PAGES[kind] === undefined || !can(PAGES[kind].scope)) return [];
    return [{ kind, count, hint }];
  });
  if (data === undefined)
    return (
      <Section title={t('home.attention')}>
        <LoadedPart query={query}>{() => null}</LoadedPart>
      </Section>
    );
  return (
    <Section title={t('home.attention')} {...(shown.length > 0 ? { flush: true } : {})}>
      {shown.length === 0 ? (
        <p className={`${css.well} dim`}>
          <Icon name="check" size={18} /> {t('home.attention.none')}
        </p>
      ) : (
        <ul className={css.list}>
          {shown.map(({ kind, count, hint }) => (
            <li key={kind}>
              <Text path={PAGES[kind]!.path} hint={hint}>
                {t(`home.attention.${kind}`, { n: count })}
              </Text>
              <strong className={`${css.count} num`}>
                {count === MOST ? t('home.many', { n: format.number(MOST) }) : format.number(count)}
              </strong>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function Text({ path, hint, children }: { path: string | undefined; hint: string | null; children: ReactNode }) {
  if (path !== undefined) return <Anchor path={path}>{children}</Anchor>;
  return (
    <span className="break">
      {children}
      <br />
      <span className="dim">{hint}</span>
    </span>
  );
}
