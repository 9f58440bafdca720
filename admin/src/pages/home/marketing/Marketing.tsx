import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { t } from '../../../i18n/i18n.ts';
import { Anchor } from '../../../ui/Anchor.tsx';
import { intervalName } from '../../../ui/chart/interval-name.ts';
import { LoadedPart, Section, SmallTable } from '../../../ui/DetailPage.tsx';
import { useFormat } from '../../../ui/format.tsx';
import { type MarketingOverview, type PeriodName, useMarketing } from '../queries.ts';
import { Bars } from './Bars.tsx';
import { Deliverability } from './Deliverability.tsx';
import css from './Marketing.module.css';

/** The results of marketing in the chosen period. */
export function Marketing({ period }: { period: PeriodName }) {
  const query = useMarketing(period);
  return (
    <div className={css.marketing}>
      <h2 className={css.title}>{t('home.marketing')}</h2>
      <LoadedPart query={query}>
        {(overview) => (
          <>
            <div className={css.columns} aria-busy={query.isPlaceholderData}>
              <Revenue overview={overview} />
              <div className={css.column}>
                <Growth overview={overview} />
                <Deliverability overview={overview} />
              </div>
            </div>
          </>
        )}
      </LoadedPart>
    </div>
  );
}

interface PartProps {
  overview: MarketingOverview;
}

function Revenue({ overview: { currency, revenue, intervals, interval } }: PartProps) {
  const format = useFormat();
  const [measure, setMeasure] = useState<'revenue' | 'net'>('revenue');
  const money = (amount: number): string => format.money(amount, currency);
  const title = t(`home.marketing.${measure}`);
  return (
    <div className={css.column}>
      <Section
        title={title}
        actions={
          <SegmentedControl
            size="xs"
            aria-label={t('home.marketing.revenue')}
            value={measure}
            onChange={(chosen) => setMeasure(chosen === 'net' ? 'net' : 'revenue')}
            data={(['revenue', 'net'] as const).map((value) => ({ value, label: t(`home.measure.${value}`) }))}
          />
        }
      >
        <p className={css.sum}>
          <strong className="num">{money(revenue.total[measure])}</strong>{' '}
          <span className="dim">
            {t('home.marketing.orders', { n: revenue.total.orders, shown: format.number(revenue.total.orders) })}
          </span>
        </p>
        <Bars
          caption={title}
          interval={t('home.period')}
          names={intervals.map(({ start }) => intervalName(start, interval))}
          series={[
            {
              title: `${t('nav.flows')}: ${money(revenue.flows[measure])}`,
              values: intervals.map((one) => one[`flow_${measure}`]),
              text: money,
            },
            {
              title: `${t('nav.campaigns')}: ${money(revenue.campaigns[measure])}`,
              values: intervals.map((one) => one[`campaign_${measure}`]),
              text: money,
            },
          ]}
        />
      </Section>
      <Section title={t('home.marketing.sources')} flush>
        <SmallTable
          caption={t('home.marketing.sources')}
          rows={revenue.sources}
          keyOf={(source) => `${source.type} ${source.id}`}
          empty={t('home.marketing.sources.none')}
          columns={[
            {
              title: t('field.name'),
              cell: ({ type, id, name }) =>
                name === null ? (
                  <span className="dim">{t('home.marketing.deleted', { id })}</span>
                ) : (
                  <Anchor path={`${type}s/${id}`}>{name}</Anchor>
                ),
            },
            {
              title: t('home.marketing.type'),
              wide: true,
              cell: ({ type }) => t(`home.marketing.type.${type}`),
            },
            { title: t('home.measure.orders'), right: true, cell: (source) => format.number(source.orders) },
            { title: t('home.measure.revenue'), right: true, cell: (source) => money(source.revenue) },
            { title: t('home.measure.net'), right: true, wide: true, cell: (source) => money(source.net) },
          ]}
        />
      </Section>
    </div>
  );
}

function Growth({ overview: { growth, intervals, interval } }: PartProps) {
  const format = useFormat();
  return (
    <Section title={t('home.growth')}>
      <Bars
        caption={t('home.growth')}
        interval={t('home.period')}
        below
        names={intervals.map(({ start }) => intervalName(start, interval))}
        series={[
          {
            title: t('home.growth.subscribed', { n: format.number(growth.total.subscribed) }),
            values: intervals.map((one) => one.subscribed),
            text: format.number,
          },
          {
            title: t('home.growth.unsubscribed', { n: format.number(growth.total.unsubscribed) }),
            values: intervals.map((one) => one.unsubscribed),
            text: format.number,
          },
        ]}
      />
      {growth.lists.length === 0 ? null : (
        <ul className={css.lists} aria-label={t('nav.lists')}>
          {growth.lists.map((list) => (
            <li key={list.list_id}>
              <Anchor path={`lists/${list.list_id}`}>{list.name}</Anchor>
              <span className="num dim">
                {t('home.growth.list', {
                  come: format.number(list.subscribed),
                  gone: format.number(list.unsubscribed),
                })}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
