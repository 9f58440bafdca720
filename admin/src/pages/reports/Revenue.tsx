import { NativeSelect, SegmentedControl } from '@mantine/core';
import { oneOf, useSearchValues } from '../../app/nav.ts';
import { t } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { BarChart } from '../../ui/chart/BarChart.tsx';
import { intervalName } from '../../ui/chart/interval-name.ts';
import { LoadedPart, Section, SmallTable } from '../../ui/DetailPage.tsx';
import { useFormat } from '../../ui/format.tsx';
import { CsvButton } from './CsvButton.tsx';
import css from './Page.module.css';
import {
  type PeriodName,
  type Revenue as Report,
  SOURCES,
  type Source,
  type SourceKind,
  useRevenue,
} from './queries.ts';

/** What messages of campaigns or flows led to: over time, and by each of them. */
export function Revenue({ period }: { period: PeriodName }) {
  const [values, change] = useSearchValues();
  const by: SourceKind = oneOf(SOURCES, values.by, 'campaign');
  const query = useRevenue(period, by);
  return (
    <Section
      title={t('reports.revenue')}
      flush
      actions={
        <>
          <SegmentedControl
            size="xs"
            aria-label={t('reports.revenue.by')}
            value={by}
            onChange={(chosen) => change({ by: chosen === 'campaign' ? '' : chosen, source: '' })}
            data={SOURCES.map((value) => ({ value, label: t(`nav.${value}s`) }))}
          />
          <CsvButton
            name={`revenue-by-${by}`}
            titles={[
              t(period === 'month' ? 'reports.day' : 'reports.week'),
              t(`reports.revenue.${by}`),
              t('home.measure.orders'),
              t('home.measure.revenue'),
              t('reports.revenue.refunded'),
              t('home.measure.net'),
            ]}
            rows={query.data === undefined ? [] : rowsOf(query.data)}
          />
        </>
      }
    >
      <LoadedPart query={query}>
        {(report) => (
          <div aria-busy={query.isPlaceholderData}>
            <OverTime
              report={report}
              source={values.source ?? ''}
              onSource={(source) => change({ source })}
              period={period}
            />
            <Sources report={report} />
          </div>
        )}
      </LoadedPart>
    </Section>
  );
}

const keyOf = ({ id }: Source): string => String(id ?? 'others');

function nameOf({ id, name }: Source): string {
  if (id === null) return t('reports.revenue.others');
  return name ?? t('home.marketing.deleted', { id });
}

/** Every interval of every source, as rows of a file. */
function rowsOf({ sources }: Report): (string | number)[][] {
  return sources.flatMap((source) =>
    source.intervals.map(({ start, orders, revenue, refunded, net }) => [
      start,
      nameOf(source),
      orders,
      revenue,
      refunded,
      net,
    ]),
  );
}

interface OverTimeProps {
  report: Report;
  /** The shown source; all together where it is none of them. */
  source: string;
  onSource(source: string): void;
  period: PeriodName;
}

function OverTime({ report, source, onSource, period }: OverTimeProps) {
  const format = useFormat();
  const { intervals, sources, currency } = report;
  const shown = sources.find((one) => keyOf(one) === source);
  const byStart = new Map((shown?.intervals ?? intervals).map((one) => [one.start, one]));
  const money = (amount: number): string => format.money(amount, currency);
  return (
    <div className={css.chart}>
      <NativeSelect
        size="xs"
        aria-label={t('reports.revenue.of')}
        className={css.choice ?? ''}
        value={shown === undefined ? '' : source}
        onChange={(event) => onSource(event.target.value)}
        data={[
          { value: '', label: t('reports.revenue.all') },
          ...sources.map((one) => ({ value: keyOf(one), label: nameOf(one) })),
        ]}
      />
      <BarChart
        caption={t('reports.revenue')}
        names={{ column: t('home.period'), bars: t('home.measure.revenue'), parts: t('home.measure.net') }}
        points={intervals.map(({ start }) => ({
          key: start,
          name: intervalName(start, period === 'month' ? 'day' : 'week'),
          value: byStart.get(start)?.revenue ?? 0,
          part: Math.max(0, byStart.get(start)?.net ?? 0),
        }))}
        text={money}
        currency={currency}
      />
    </div>
  );
}

function Sources({ report: { by, currency, sources, time_zone } }: { report: Report }) {
  const format = useFormat();
  const money = (amount: number): string => format.money(amount, currency);
  return (
    <SmallTable
      caption={t('reports.revenue')}
      intro={t('reports.revenue.intro', { zone: time_zone })}
      rows={sources}
      keyOf={keyOf}
      empty={t('home.marketing.sources.none')}
      columns={[
        {
          title: t(`reports.revenue.${by}`),
          cell: (source) =>
            source.id === null || source.name === null ? (
              <span className="dim">{nameOf(source)}</span>
            ) : (
              <Anchor path={`${by}s/${source.id}`}>{source.name}</Anchor>
            ),
        },
        { title: t('home.measure.orders'), right: true, wide: true, cell: ({ orders }) => format.number(orders) },
        { title: t('home.measure.revenue'), right: true, cell: ({ revenue }) => money(revenue) },
        { title: t('reports.revenue.refunded'), right: true, wide: true, cell: ({ refunded }) => money(refunded) },
        { title: t('home.measure.net'), right: true, cell: ({ net }) => money(net) },
      ]}
    />
  );
}
