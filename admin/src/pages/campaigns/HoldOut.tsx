import { t } from '../../i18n/i18n.ts';
import { Section, SmallTable } from '../../ui/DetailPage.tsx';
import { Moment, useFormat } from '../../ui/format.tsx';
import css from './HoldOut.module.css';
import { type Campaign, useReport } from './queries.ts';

/** What recipients of the campaign ordered, compared to those who were held out. */
export function HoldOut({ campaign }: { campaign: Campaign }) {
  const format = useFormat();
  const { data } = useReport(campaign);
  const holdOut = data?.hold_out ?? null;
  if (holdOut === null) return null;
  const { messaged, held_out, orders_lift, revenue_lift, verdict, window_ends_at } = holdOut;
  const signed = (lift: number | null): string =>
    lift === null ? '–' : `${lift > 0 ? '+' : ''}${format.percent(lift / 100)}`;
  const rows = [
    { name: t('campaign.hold_out.messaged'), ...messaged },
    { name: t('campaign.hold_out.held_out'), ...held_out },
  ];
  return (
    <Section title={t('campaign.hold_out')} flush>
      <SmallTable
        caption={t('campaign.hold_out')}
        rows={rows}
        keyOf={(row) => row.name}
        empty={t('list.none.title')}
        columns={[
          { title: t('campaign.hold_out.group'), cell: (row) => row.name },
          { title: t('campaign.recipients'), right: true, cell: (row) => format.number(row.recipients) },
          { title: t('campaign.converted'), right: true, wide: true, cell: (row) => format.number(row.orders) },
          {
            title: t('campaign.hold_out.each'),
            right: true,
            cell: (row) => format.percent(Math.round(row.orders_per_recipient * 10_000) / 10_000),
          },
          {
            title: t('campaign.hold_out.revenue_each'),
            right: true,
            wide: true,
            cell: (row) => format.money(row.revenue_per_recipient),
          },
        ]}
      />
      <div className={css.words}>
        <p>{t(`campaign.hold_out.${verdict}`)}</p>
        <p>
          {t('campaign.hold_out.lift', { orders: signed(orders_lift), revenue: signed(revenue_lift) })}
          {verdict === 'too_small' ? ` ${t('campaign.hold_out.by_chance')}` : null}
        </p>
        <p className="dim">
          {t('campaign.hold_out.until')} <Moment at={window_ends_at} />
        </p>
      </div>
    </Section>
  );
}
