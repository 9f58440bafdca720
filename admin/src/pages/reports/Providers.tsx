import { t } from '../../i18n/i18n.ts';
import { LoadedPart, Section, SmallTable } from '../../ui/DetailPage.tsx';
import { useFormat } from '../../ui/format.tsx';
import { CsvButton } from './CsvButton.tsx';
import { type PeriodName, PROVIDER_DAYS, type Provider, useProviders } from './queries.ts';

/** What became of e-mails at each mailbox provider; a year is shown as 90 days. */
export function Providers({ period }: { period: PeriodName }) {
  const format = useFormat();
  const query = useProviders(period);
  const nameOf = ({ provider }: Provider): string => t(`reports.provider.${provider}`);
  /** A number with its share of what was sent. */
  const share = (n: number, { sent }: Provider) => (
    <span title={format.number(n)}>{format.percent(Math.round((n / sent) * 10_000) / 10_000)}</span>
  );
  return (
    <Section
      title={t('reports.providers')}
      flush
      actions={
        <CsvButton
          name={`deliverability-${PROVIDER_DAYS[period]}-days`}
          titles={[
            t('reports.provider'),
            t('reports.providers.sent'),
            t('reports.providers.delivered'),
            t('reports.providers.opened'),
            t('reports.providers.clicked'),
            t('reports.providers.bounced'),
            t('reports.providers.complained'),
          ]}
          rows={(query.data?.providers ?? []).map((row) => [
            nameOf(row),
            row.sent,
            row.delivered,
            row.opened,
            row.clicked,
            row.bounced,
            row.complained,
          ])}
        />
      }
    >
      <LoadedPart query={query}>
        {({ days, providers }) => (
          <SmallTable
            caption={t('reports.providers')}
            intro={t('reports.providers.intro', { days })}
            rows={providers}
            keyOf={({ provider }) => provider}
            empty={t('reports.providers.none')}
            columns={[
              { title: t('reports.provider'), cell: nameOf },
              { title: t('reports.providers.sent'), right: true, cell: ({ sent }) => format.number(sent) },
              {
                title: t('reports.providers.delivered'),
                right: true,
                wide: true,
                cell: (row) => share(row.delivered, row),
              },
              { title: t('reports.providers.opened'), right: true, cell: (row) => share(row.opened, row) },
              {
                title: t('reports.providers.clicked'),
                right: true,
                wide: true,
                cell: (row) => share(row.clicked, row),
              },
              { title: t('reports.providers.bounced'), right: true, cell: (row) => share(row.bounced, row) },
              {
                title: t('reports.providers.complained'),
                right: true,
                wide: true,
                cell: (row) => share(row.complained, row),
              },
            ]}
          />
        )}
      </LoadedPart>
    </Section>
  );
}
