import './texts.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { PageTabs } from '../../ui/tabs/PageTabs.tsx';

const TABS = [
  { name: 'nav.payment_methods', path: 'payment-methods', scope: 'settings:read' },
  { name: 'checkout.title', path: 'payment-methods/checkout', scope: 'settings:read' },
  { name: 'payment_account.title', path: 'payment-methods/accounts', scope: 'payments:accounts' },
  { name: 'store_key.title', path: 'payment-methods/store-keys', scope: 'keys:read' },
] as const;

/** Links between the pages about buying and paying, below their header. */
export function PaymentTabs({ current }: { current: (typeof TABS)[number]['path'] }) {
  const { can } = useShop();
  const tabs = TABS.filter(({ scope }) => can(scope)).map(({ name, path }) => ({ path, text: t(name) }));
  return <PageTabs label={t('nav.payment_methods')} tabs={tabs} current={current} />;
}
