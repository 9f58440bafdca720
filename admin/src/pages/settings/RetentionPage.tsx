import { useQuery } from '@tanstack/react-query';
import { type BodyOf, ok } from '../../api/client.ts';
import type { paths } from '../../api/schema.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Loaded, Section, SmallTable } from '../../ui/DetailPage.tsx';
import type { Values } from '../../ui/form/values.ts';
import { Moment, useFormat } from '../../ui/format.tsx';
import { type FieldGroup, RecordForm } from '../../ui/RecordForm.tsx';
import { Tabs } from './Tabs.tsx';

type Settings = paths['/retention-settings']['get']['responses'][200]['content']['application/json'];

const MARKETING = ['events_months', 'messages_months', 'contact_activity_months', 'flow_runs_months'] as const;
const TECHNICAL = ['flow_log_days', 'carts_days', 'mailbox_days', 'webhook_deliveries_days', 'requests_days'] as const;
const field = (name: (typeof MARKETING | typeof TECHNICAL)[number]) =>
  ({ name, label: t(`retention.${name}`), type: 'number', half: true }) as const;

const groups = (): FieldGroup<BodyOf<'/retention-settings', 'patch'>>[] => [
  { title: t('retention.marketing'), fields: MARKETING.map(field) },
  { title: t('retention.technical'), fields: TECHNICAL.map(field) },
];

function valuesOf(settings: Settings): Values {
  return Object.fromEntries([...MARKETING, ...TECHNICAL].map((name) => [name, String(settings[name] ?? '')]));
}

export function RetentionPage() {
  const { api, company, can } = useShop();
  const settings = useQuery({
    queryKey: [company.id, 'retention-settings'],
    queryFn: ({ signal }) => ok(api.GET('/retention-settings', { signal })),
  });
  return (
    <>
      <Tabs current="retention" />
      <Loaded query={settings}>
        {(current) => (
          <div className="stack">
            <p>{t('retention.help')}</p>
            <RecordForm
              draft="settings-retention"
              groups={groups()}
              initial={valuesOf(current)}
              save={(body) => ok(api.PATCH('/retention-settings', { body }))}
              done={{ text: t('form.saved') }}
              submit={t('action.save')}
              readOnly={!can('company:write')}
            />
            <Progress rows={current.progress} />
          </div>
        )}
      </Loaded>
    </>
  );
}

function Progress({ rows }: { rows: Settings['progress'] }) {
  const format = useFormat();
  return (
    <Section title={t('retention.progress')} flush>
      <SmallTable
        caption={t('retention.progress')}
        rows={rows.filter((row) => row.removed_before !== null)}
        keyOf={(row) => row.kind}
        columns={[
          { title: t('retention.kind'), cell: (row) => t(`retention.${row.kind}`) },
          { title: t('retention.before'), cell: (row) => <Moment at={row.removed_before} /> },
          { title: t('retention.rows'), cell: (row) => format.number(row.removed), right: true },
        ]}
        empty={t('retention.none')}
      />
    </Section>
  );
}
