import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ok, rowsOf } from '../../api/client.ts';
import { useGo } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { Loaded, Section } from '../../ui/DetailPage.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { Status } from '../../ui/Status.tsx';

/** What a new company is checked for; the addresses of the pages where it is set. */
const STEPS = [
  { name: 'taxes', path: 'taxes' },
  { name: 'shipping', path: 'shipping' },
  { name: 'sender', path: 'settings/sending' },
] as const;
type Step = (typeof STEPS)[number]['name'];

/** Leads a new company through what orders and messages need. A step is done once it differs from what every company begins with. */
export function Page() {
  const { api, company } = useShop();
  const go = useGo();
  const steps = useQuery({
    queryKey: [company.id, 'setup'],
    queryFn: async ({ signal }): Promise<Record<Step, boolean>> => {
      const query = { per_page: 2 };
      const [taxes, methods, sending] = await Promise.all([
        rowsOf(api.GET('/tax-rules', { params: { query }, signal })),
        rowsOf(api.GET('/shipping-methods', { params: { query }, signal })),
        ok(api.GET('/sending-settings', { signal })),
      ]);
      const [first] = methods.rows;
      return {
        taxes: taxes.total > 0,
        shipping: methods.total > 1 || (first !== undefined && first.cost !== 0),
        sender: !sending.from_email.endsWith('@tradeloom.example'),
      };
    },
  });
  return (
    <>
      <PageHeader title={t('setup.title')} />
      <Loaded query={steps}>
        {(done) => (
          <div className="stack">
            <p className="dim">{t('setup.text')}</p>
            {STEPS.map(({ name, path }) => (
              <Section
                key={name}
                title={t(`setup.${name}`)}
                actions={done[name] ? <Status value="done" /> : <span className="dim">{t('setup.open')}</span>}
              >
                <p>{t(`setup.${name}.text`)}</p>
                <Anchor path={path}>{t(`setup.${name}`)}</Anchor>
              </Section>
            ))}
            <div>
              <Button variant="default" onClick={() => go('home')}>
                {t('setup.skip')}
              </Button>
            </div>
          </div>
        )}
      </Loaded>
    </>
  );
}
