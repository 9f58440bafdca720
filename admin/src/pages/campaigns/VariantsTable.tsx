import type { ResponseOf } from '../../api/client.ts';
import { t, tOf } from '../../i18n/i18n.ts';
import { Section, SmallTable } from '../../ui/DetailPage.tsx';
import { useFormat } from '../../ui/format.tsx';
import { rate } from './ListPage.tsx';
import type { Campaign } from './queries.ts';

type Report = ResponseOf<'/campaigns/{id}/report'>;

/** The variants side by side, and the criterion that decides or decided their test. */
export function VariantsTable({ campaign, report }: { campaign: Campaign; report: Report }) {
  const format = useFormat();
  const { ab_test } = campaign;
  const { variants, winner } = report;
  const share = (part: number, whole: number): string => (whole === 0 ? '–' : format.percent(rate(part, whole)));
  const metric = ab_test === null ? '' : tOf('campaign.ab.metric', ab_test.metric);
  const intro =
    ab_test === null
      ? undefined
      : winner === null
        ? t('campaign.winner.open', { metric, hours: ab_test.hours })
        : t('campaign.winner.won', { key: winner, metric });
  return (
    <Section title={t('campaign.variants')} flush>
      <SmallTable
        caption={t('campaign.variants')}
        rows={variants}
        keyOf={(variant) => variant.key}
        empty={t('list.none.title')}
        {...(intro === undefined ? {} : { intro })}
        columns={[
          { title: t('campaign.variant'), cell: ({ key }) => (key === winner ? t('campaign.winner', { key }) : key) },
          { title: t('campaign.sent'), right: true, cell: (one) => format.number(one.counts.sent) },
          { title: t('campaign.opened'), right: true, cell: (one) => share(one.counts.opened, one.counts.sent) },
          { title: t('campaign.clicked'), right: true, cell: (one) => share(one.counts.clicked, one.counts.sent) },
          { title: t('campaign.converted'), right: true, cell: (one) => format.number(one.counts.converted) },
          { title: t('campaign.revenue'), right: true, wide: true, cell: (one) => format.money(one.counts.revenue) },
          { title: t('campaign.net'), right: true, wide: true, cell: (one) => format.money(one.counts.net) },
        ]}
      />
    </Section>
  );
}
