import { t } from '../../i18n/i18n.ts';
import { BarChart } from '../../ui/chart/BarChart.tsx';
import { intervalName } from '../../ui/chart/interval-name.ts';
import { useFormat } from '../../ui/format.tsx';
import type { SalesOverview } from './queries.ts';

export type Measure = 'revenue' | 'net' | 'orders';

export const titleOf = (measure: Measure): string =>
  measure === 'net' ? t('home.figure.net') : t(`home.measure.${measure}`);

/** The period's intervals as bars, and those of the compared period as a line. */
export function Chart({ overview, measure }: { overview: SalesOverview; measure: Measure }) {
  const format = useFormat();
  const { interval, currency, period, compared } = overview;
  return (
    <BarChart
      caption={titleOf(measure)}
      names={{ column: t('home.period'), bars: t('home.chart.period'), line: t('home.chart.compared') }}
      points={period.intervals.map((one, i) => ({
        key: one.start,
        name: intervalName(one.start, interval),
        value: one[measure],
        compared: compared?.intervals[i]?.[measure],
      }))}
      text={(value) => (measure === 'orders' ? format.number(value) : format.money(value, currency))}
      currency={measure === 'orders' ? null : currency}
      beside={(before) => t('home.before', { before })}
    />
  );
}
