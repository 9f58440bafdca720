import './texts.ts';
import { t } from '../../i18n/i18n.ts';
import { PageTabs } from '../../ui/tabs/PageTabs.tsx';

const TABS = [
  { name: 'nav.payment_methods', path: 'payment-methods' },
  { name: 'checkout.title', path: 'payment-methods/checkout' },
] as const;

/** Links between the pages about paying, below their header. */
export function PaymentTabs({ current }: { current: (typeof TABS)[number]['path'] }) {
  const tabs = TABS.map(({ name, path }) => ({ path, text: t(name) }));
  return <PageTabs label={t('nav.payment_methods')} tabs={tabs} current={current} />;
}
