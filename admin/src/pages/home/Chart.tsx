import { useState } from 'react';
import { language, t } from '../../i18n/i18n.ts';
import { useFormat } from '../../ui/format.tsx';
import css from './Chart.module.css';
import type { SalesOverview } from './queries.ts';
import { niceCeiling } from './scale.ts';

const WIDTH = 720;
const HEIGHT = 220;
/** Of the scale, from its top to 0, in parts of its top. */
const LINES = [1, 0.75, 0.5, 0.25, 0];

/** Bars of the period, and the compared one as a line; the same as a table for those who do not see it. */
export function Chart({ overview, measure }: { overview: SalesOverview; measure: 'revenue' | 'orders' }) {
  const format = useFormat();
  const [pointed, setPointed] = useState<number | null>(null);
  const { intervals } = overview.period;
  const before = overview.compared?.intervals.map((one) => one[measure]).slice(0, intervals.length) ?? [];
  const values = intervals.map((one) => one[measure]);
  const top = niceCeiling(Math.max(...values, ...before, 1));
  const text = (value: number): string =>
    measure === 'revenue' ? format.money(value, overview.currency) : format.number(value);
  const name = (start: string): string => nameOf(start, overview.interval);
  const step = WIDTH / intervals.length;
  const bar = Math.max(2, Math.min(48, step * 0.64));
  const y = (value: number): number => HEIGHT - (value / top) * HEIGHT;
  const line = before.map((value, i) => `${i === 0 ? 'M' : 'L'}${(i + 0.5) * step} ${y(value)}`).join('');
  const shown = pointed === null ? undefined : intervals[pointed];
  return (
    <figure className={css.chart}>
      <figcaption className={css.legend}>
        {shown === undefined ? (
          <>
            <span className={css.now}>{t('home.chart.period')}</span>
            {before.length > 0 ? <span className={css.before}>{t('home.chart.compared')}</span> : null}
          </>
        ) : (
          <span className="num">
            {name(shown.start)}: <strong>{text(shown[measure])}</strong>
            {before[pointed!] === undefined ? null : ` (${t('home.before', { before: text(before[pointed!]!) })})`}
          </span>
        )}
      </figcaption>
      <div className={css.plot}>
        <div className={css.scale} aria-hidden="true">
          {LINES.map((part) => (
            <span key={part} className="num">
              {compact(top * part, measure === 'revenue' ? overview.currency : null)}
            </span>
          ))}
        </div>
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          aria-hidden="true"
          onPointerMove={(event) => {
            const box = event.currentTarget.getBoundingClientRect();
            const at = Math.floor(((event.clientX - box.left) / box.width) * intervals.length);
            setPointed(Math.max(0, Math.min(intervals.length - 1, at)));
          }}
          onPointerLeave={() => setPointed(null)}
        >
          {LINES.map((part) => (
            <line key={part} x1="0" x2={WIDTH} y1={HEIGHT * part} y2={HEIGHT * part} className={css.grid} />
          ))}
          {values.map((value, i) => (
            <rect
              key={intervals[i]!.start}
              x={(i + 0.5) * step - bar / 2}
              y={y(value)}
              width={bar}
              height={HEIGHT - y(value)}
              rx="2"
              className={css.bar}
              data-pointed={pointed === i || undefined}
            />
          ))}
          {before.some((value) => value > 0) ? <path d={line} className={css.line} /> : null}
        </svg>
      </div>
      <div className={css.ends} aria-hidden="true">
        <span>{name(intervals[0]!.start)}</span>
        {intervals.length > 1 ? <span>{name(intervals.at(-1)!.start)}</span> : null}
      </div>
      <div className="visually-hidden">
        <table>
          <caption>{t(`home.measure.${measure}`)}</caption>
          <thead>
            <tr>
              <th scope="col">{t('home.period')}</th>
              <th scope="col">{t('home.chart.period')}</th>
              {before.length > 0 ? <th scope="col">{t('home.chart.compared')}</th> : null}
            </tr>
          </thead>
          <tbody>
            {intervals.map((one, i) => (
              <tr key={one.start}>
                <th scope="row">{name(one.start)}</th>
                <td>{text(one[measure])}</td>
                {before.length > 0 ? <td>{before[i] === undefined ? '–' : text(before[i])}</td> : null}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

function nameOf(start: string, interval: SalesOverview['interval']): string {
  const form: Intl.DateTimeFormatOptions =
    interval === 'month' ? { month: 'short', year: 'numeric' } : { day: 'numeric', month: 'short' };
  return new Intl.DateTimeFormat(language(), { ...form, timeZone: 'UTC' }).format(new Date(start));
}

function compact(value: number, currency: string | null): string {
  const form: Intl.NumberFormatOptions = currency === null ? {} : { style: 'currency', currency };
  return new Intl.NumberFormat(language(), { ...form, notation: 'compact', maximumFractionDigits: 1 }).format(value);
}
