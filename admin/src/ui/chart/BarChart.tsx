import { useState } from 'react';
import { language } from '../../i18n/i18n.ts';
import css from './BarChart.module.css';
import { niceCeiling } from './scale.ts';

const WIDTH = 720;
const HEIGHT = 220;
/** Of the scale, from its top to 0, in parts of its top. */
const LINES = [1, 0.75, 0.5, 0.25, 0];

interface BarChartProps {
  /** Of the table, for those who do not see the bars. */
  caption: string;
  /** What the bars are, and what the line is; each is the title of its column as well. */
  names: { column: string; bars: string; line?: string };
  points: { key: string; name: string; value: number; compared?: number | undefined }[];
  text(value: number): string;
  /** The currency of the scale, where the values are amounts. */
  currency: string | null;
  /** A value and what it is compared with, as one text. */
  beside?(before: string): string;
}

/** Bars, and what they are compared with as a line; the same as a table for those who do not see it. */
export function BarChart({ caption, names, points, text, currency, beside }: BarChartProps) {
  const [pointed, setPointed] = useState<number | null>(null);
  const before = points.flatMap(({ compared }) => compared ?? []);
  const top = niceCeiling(Math.max(...points.map(({ value }) => value), ...before, 1));
  const step = WIDTH / points.length;
  const bar = Math.max(2, Math.min(48, step * 0.64));
  const y = (value: number): number => HEIGHT - (value / top) * HEIGHT;
  const line = before.map((value, i) => `${i === 0 ? 'M' : 'L'}${(i + 0.5) * step} ${y(value)}`).join('');
  const shown = pointed === null ? undefined : points[pointed];
  return (
    <figure className={css.chart}>
      <figcaption className={css.legend}>
        {shown === undefined ? (
          <>
            <span className={css.now}>{names.bars}</span>
            {before.length > 0 ? <span className={css.before}>{names.line}</span> : null}
          </>
        ) : (
          <span className="num">
            {shown.name}: <strong>{text(shown.value)}</strong>
            {shown.compared === undefined || beside === undefined ? null : ` (${beside(text(shown.compared))})`}
          </span>
        )}
      </figcaption>
      <div className={css.plot}>
        <div className={css.scale} aria-hidden="true">
          {LINES.map((part) => (
            <span key={part} className="num">
              {compact(top * part, currency)}
            </span>
          ))}
        </div>
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          aria-hidden="true"
          onPointerMove={(event) => {
            const box = event.currentTarget.getBoundingClientRect();
            const at = Math.floor(((event.clientX - box.left) / box.width) * points.length);
            setPointed(Math.max(0, Math.min(points.length - 1, at)));
          }}
          onPointerLeave={() => setPointed(null)}
        >
          {LINES.map((part) => (
            <line key={part} x1="0" x2={WIDTH} y1={HEIGHT * part} y2={HEIGHT * part} className={css.grid} />
          ))}
          {points.map(({ key, value }, i) => (
            <rect
              key={key}
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
        <span>{points[0]?.name}</span>
        {points.length > 1 ? <span>{points.at(-1)?.name}</span> : null}
      </div>
      <div className="visually-hidden">
        <table>
          <caption>{caption}</caption>
          <thead>
            <tr>
              <th scope="col">{names.column}</th>
              <th scope="col">{names.bars}</th>
              {before.length > 0 ? <th scope="col">{names.line}</th> : null}
            </tr>
          </thead>
          <tbody>
            {points.map(({ key, name, value, compared }) => (
              <tr key={key}>
                <th scope="row">{name}</th>
                <td>{text(value)}</td>
                {before.length > 0 ? <td>{compared === undefined ? '–' : text(compared)}</td> : null}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

function compact(value: number, currency: string | null): string {
  const form: Intl.NumberFormatOptions = currency === null ? {} : { style: 'currency', currency };
  return new Intl.NumberFormat(language(), { ...form, notation: 'compact', maximumFractionDigits: 1 }).format(value);
}
