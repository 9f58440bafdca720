import { t, tOf } from '../../i18n/i18n.ts';
import { Section, SmallTable } from '../../ui/DetailPage.tsx';
import { useFormat } from '../../ui/format.tsx';
import { Reason } from '../../ui/words/Reason.tsx';
import { Days } from './Days.tsx';
import { rate } from './ListPage.tsx';
import { type Campaign, useReport } from './queries.ts';
import css from './Report.module.css';
import { VariantsTable } from './VariantsTable.tsx';

/** The results of a campaign: its numbers, by variant and by link, and why messages were not sent. */
export function Report({ campaign }: { campaign: Campaign }) {
  const format = useFormat();
  const { data } = useReport(campaign);
  const counts = data?.counts ?? campaign.counts;
  const share = (part: number, whole: number): string => (whole === 0 ? '–' : format.percent(rate(part, whole)));
  const before = data?.benchmark;
  /** The same share of the campaigns before. */
  const usual = (name: 'delivered' | 'opened' | 'clicked' | 'converted' | 'bounced' | 'unsubscribed' | 'complained') =>
    !before || before.sent === 0 ? null : t('campaign.usual', { share: share(before[name], before.sent) });
  const numbers: [string, string, string | null, (string | null)?][] = [
    [t('campaign.sent'), format.number(counts.sent), null],
    [
      t('campaign.delivered'),
      format.number(counts.delivered),
      share(counts.delivered, counts.sent),
      usual('delivered'),
    ],
    [t('campaign.opened'), format.number(counts.opened), share(counts.opened, counts.sent), usual('opened')],
    [t('campaign.clicked'), format.number(counts.clicked), share(counts.clicked, counts.sent), usual('clicked')],
    [
      t('campaign.converted'),
      format.number(counts.converted),
      share(counts.converted, counts.sent),
      usual('converted'),
    ],
    [t('campaign.revenue'), format.money(counts.revenue), null],
    [t('campaign.net'), format.money(counts.net), null],
    [t('campaign.bounced'), format.number(counts.bounced), share(counts.bounced, counts.sent), usual('bounced')],
    [
      t('campaign.unsubscribed'),
      format.number(counts.unsubscribed),
      share(counts.unsubscribed, counts.sent),
      usual('unsubscribed'),
    ],
    [
      t('campaign.complained'),
      format.number(counts.complained),
      share(counts.complained, counts.sent),
      usual('complained'),
    ],
  ];
  return (
    <>
      <Section title={t('campaign.report')}>
        <dl className={css.numbers}>
          {numbers.map(([title, value, part, compared = null]) => (
            <div key={title}>
              <dt>{title}</dt>
              <dd>
                {value}
                {part === null ? null : <span className="dim"> {part}</span>}
              </dd>
              {compared === null ? null : <dd className={`${css.usual} dim`}>{compared}</dd>}
            </div>
          ))}
        </dl>
        {before ? <p className={`${css.before} dim`}>{t('campaign.usual.of', { n: before.campaigns })}</p> : null}
      </Section>
      {data === undefined ? null : <Days days={data.days} />}
      {data === undefined || data.variants.length === 0 ? null : <VariantsTable campaign={campaign} report={data} />}
      {data === undefined || data.links.length === 0 ? null : (
        <Section title={t('campaign.links')} flush>
          <SmallTable
            caption={t('campaign.links')}
            rows={data.links}
            keyOf={(link) => link.url}
            empty={t('list.none.title')}
            columns={[
              { title: t('campaign.link'), cell: (link) => <span className="break">{link.url}</span> },
              { title: t('campaign.clicks'), right: true, cell: (link) => format.number(link.clicks) },
            ]}
          />
        </Section>
      )}
      {data === undefined || data.reasons.length === 0 ? null : (
        <Section title={t('campaign.not_sent')} flush>
          <SmallTable
            caption={t('campaign.not_sent')}
            rows={data.reasons}
            keyOf={(one) => `${one.status} ${one.reason}`}
            empty={t('list.none.title')}
            columns={[
              {
                title: t('field.reason'),
                cell: (one) => (one.reason === null ? tOf('status', one.status) : <Reason value={one.reason} />),
              },
              { title: t('campaign.messages'), right: true, cell: (one) => format.number(one.count) },
            ]}
          />
        </Section>
      )}
    </>
  );
}
