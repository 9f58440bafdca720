import { NativeSelect } from '@mantine/core';
import { useSearchValues } from '../../app/nav.ts';
import { t } from '../../i18n/i18n.ts';
import { BarChart } from '../../ui/chart/BarChart.tsx';
import { intervalName } from '../../ui/chart/interval-name.ts';
import { LoadedPart, Section, SmallTable } from '../../ui/DetailPage.tsx';
import { Day, useFormat } from '../../ui/format.tsx';
import { useEveryList } from '../lists/queries.ts';
import { CsvButton } from './CsvButton.tsx';
import { type GrowthInterval, growthBy } from './growth.ts';
import css from './Page.module.css';
import { type ListGrowth, type PeriodName, useGrowth } from './queries.ts';

const INTERVAL: Record<PeriodName, GrowthInterval> = { month: 'day', quarter: 'week', year: 'month' };

/** Who joined and left a list, or all of them, and how many were active. */
export function Growth({ period }: { period: PeriodName }) {
  const [values, change] = useSearchValues();
  const lists = useEveryList();
  const list = Number(values.list) || null;
  const query = useGrowth(period, list);
  const rows = query.data === undefined ? [] : growthBy(INTERVAL[period], query.data.days);
  return (
    <Section
      title={t('reports.growth')}
      flush
      actions={
        <>
          <NativeSelect
            size="xs"
            aria-label={t('reports.growth.of')}
            className={css.choice ?? ''}
            value={values.list ?? ''}
            onChange={(event) => change({ list: event.target.value })}
            data={[
              { value: '', label: t('reports.growth.all') },
              ...(lists.data ?? []).map(({ list_id, name }) => ({ value: String(list_id), label: name })),
            ]}
          />
          <CsvButton
            name={list === null ? 'contacts-growth' : `list-${list}-growth`}
            titles={[
              t(`reports.${INTERVAL[period]}`),
              t('reports.growth.subscribed'),
              t('reports.growth.unsubscribed'),
              t('reports.growth.active'),
            ]}
            rows={rows.map(({ start, subscribed, unsubscribed, active }) => [start, subscribed, unsubscribed, active])}
          />
        </>
      }
    >
      <LoadedPart query={query}>
        {(growth) => <GrowthTable growth={growth} interval={INTERVAL[period]} isOld={query.isPlaceholderData} />}
      </LoadedPart>
    </Section>
  );
}

function GrowthTable(props: { growth: ListGrowth; interval: GrowthInterval; isOld: boolean }) {
  const { growth, interval, isOld } = props;
  const format = useFormat();
  const rows = growthBy(interval, growth.days);
  return (
    <div aria-busy={isOld}>
      <div className={css.chart}>
        <BarChart
          caption={t('reports.growth.active')}
          names={{ column: t('home.period'), bars: t('reports.growth.active') }}
          points={rows.map(({ start, active }) => ({
            key: start,
            name: intervalName(start, interval),
            value: active,
          }))}
          text={format.number}
          currency={null}
        />
      </div>
      <SmallTable
        caption={t('reports.growth')}
        intro={t('reports.growth.intro')}
        rows={rows.toReversed()}
        keyOf={({ start }) => start}
        empty={t('reports.none')}
        columns={[
          {
            title: t(`reports.${interval}`),
            cell: ({ start }) => (interval === 'month' ? intervalName(start, interval) : <Day on={start} />),
          },
          {
            title: t('reports.growth.subscribed'),
            right: true,
            cell: ({ subscribed }) => format.number(subscribed),
          },
          {
            title: t('reports.growth.unsubscribed'),
            right: true,
            cell: ({ unsubscribed }) => format.number(unsubscribed),
          },
          { title: t('reports.growth.active'), right: true, cell: ({ active }) => format.number(active) },
        ]}
      />
    </div>
  );
}
