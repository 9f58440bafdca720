import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { PageTabs } from '../../ui/tabs/PageTabs.tsx';

const TABS = [
  { name: 'company', path: 'settings/company', scope: 'settings:read' },
  { name: 'loyalty', path: 'settings/loyalty', scope: 'loyalty:read' },
  { name: 'sending', path: 'settings/sending', scope: 'marketing:read' },
  { name: 'domains', path: 'settings/domains', scope: 'marketing:read' },
  { name: 'deliverability', path: 'settings/deliverability', scope: 'marketing:read' },
  { name: 'accounts', path: 'settings/accounts', scope: 'marketing:read' },
  { name: 'brand', path: 'settings/brand', scope: 'marketing:read' },
  { name: 'retention', path: 'settings/retention', scope: 'settings:read' },
  { name: 'health', path: 'settings/health', scope: 'installation' },
] as const;

/** The header of a settings page, with links to the others. */
export function Tabs({ current }: { current: (typeof TABS)[number]['name'] }) {
  const { can, session } = useShop();
  const may = (scope: string): boolean => (scope === 'installation' ? session.owns_installation : can(scope));
  const tabs = TABS.filter(({ scope }) => may(scope)).map(({ name, path }) => ({ path, text: t(`settings.${name}`) }));
  return (
    <>
      <PageHeader title={t('nav.settings')} />
      <PageTabs label={t('nav.settings')} tabs={tabs} current={`settings/${current}`} />
    </>
  );
}
