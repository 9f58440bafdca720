import '../products/texts.ts';
import { t } from '../../i18n/i18n.ts';
import { PageTabs } from '../../ui/tabs/PageTabs.tsx';

const TABS = [
  { name: 'nav.inventory', path: 'inventory' },
  { name: 'transfers.title', path: 'inventory/transfers' },
  { name: 'receipts.title', path: 'inventory/receipts' },
  { name: 'locations.title', path: 'inventory/locations' },
] as const;

/** Links between the pages of the inventory, below their header. */
export function InventoryTabs({ current }: { current: (typeof TABS)[number]['path'] }) {
  const tabs = TABS.map(({ name, path }) => ({ path, text: t(name) }));
  return <PageTabs label={t('nav.inventory')} tabs={tabs} current={current} />;
}
