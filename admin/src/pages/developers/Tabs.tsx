import './texts.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { PageTabs } from '../../ui/tabs/PageTabs.tsx';

const TABS = [
  { name: 'nav.keys', path: 'keys', scope: 'keys:read' },
  { name: 'nav.webhooks', path: 'webhooks', scope: 'marketing:read' },
  { name: 'developers.incoming', path: 'developers/incoming', scope: 'keys:read' },
  { name: 'developers.refused', path: 'developers/refused', scope: 'marketing:read' },
  { name: 'developers.requests', path: 'developers/requests', scope: 'keys:read' },
] as const;

/** Links between the pages for developers, below their header. */
export function DeveloperTabs({ current }: { current: (typeof TABS)[number]['path'] }) {
  const { can } = useShop();
  const tabs = TABS.filter(({ scope }) => can(scope)).map(({ name, path }) => ({ path, text: t(name) }));
  return <PageTabs label={t('developers.pages')} tabs={tabs} current={current} />;
}
