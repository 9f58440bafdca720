import { t } from '../../i18n/i18n.ts';
import { useFormat } from '../../ui/format.tsx';
import css from './Page.module.css';
import type { Sales, SalesOverview } from './queries.ts';

const FIGURES = ['revenue', 'net', 'orders', 'average', 'returning'] as const;

/** The totals of the period, compared to the other one. */
export function Figures({ overview }: { overview: SalesOverview }) {
  const format = useFormat();
  const { period, compared, currency } = overview;
  const textOf = (name: keyof Sales, value: number): string => {
    if (name === 'revenue' || name === 'net' || name === 'average') return format.money(value, currency);
    return name === 'returning' ? format.percent(Math.round(value * 1_000) / 1_000) : format.number(value);
  };
  return (
    <dl className={css.figures}>
      {FIGURES.map((name) => (
        <div key={name} className={css.figure}>
          <dt>{t(`home.figure.${name}`)}</dt>
          <dd className={`${css.value} num`}>{textOf(name, period.total[name])}</dd>
          {compared === null ? null : (
            <Change
              value={period.total[name]}
              before={compared.total[name]}
              beforeText={textOf(name, compared.total[name])}
            />
          )}
        </div>
      ))}
    </dl>
  );
}

function Change(props: { value: number; before: number; beforeText: string }) {
  const { value, before, beforeText } = props;
  const format = useFormat();
  if (before === 0) return <dd className={css.change}>{t('home.before', { before: beforeText })}</dd>;
  const part = Math.round(((value - before) / before) * 100) / 100;
  const text = `${part > 0 ? '+' : ''}${format.percent(part)}`;
  return (
    <dd className={`${css.change} num`} data-better={part > 0 || undefined} data-worse={part < 0 || undefined}>
      {t('home.change', { change: text, before: beforeText })}
    </dd>
  );
}
