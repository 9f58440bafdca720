import { useState } from 'react';
import { language } from '../../i18n/i18n.ts';
import css from './BarChart.module.css';
import { niceCeiling } from './scale.ts';

const WIDTH = 720;
const HEIGHT = 220;
/** Grid lines of the scale from its top to 0, as fractions of its top. */
const LINES = [1, 0.75, 0.5, 0.25, 0];

interface Point {
  key: string;
  name: string;
  value: number;
  /** Part of the value that is filled; the bar is then an outline. */
  part?: number;
  compared?: number | undefined;
}

interface BarChartProps {
  /** Caption of the table, for those who cannot see the bars. */
  caption: string;
  /** Names of the bars, their filled parts, and the line; each is also the title of its column. */
  names: { column: string; bars: string; parts?: string; line?: string };
  points: Point[];
  text(value: number): string;
  /** The currency of the scale, where the values are amounts. */
  currency: string | null;
  /** A value and what it is compared to, as one text. */
  beside?(before: string): string;
}

/** Bars, with a filled part each or a line to compare them to; also as a table for those who cannot see them. */
export function BarChart({ caption, names, points, text, currency, beside }: BarChartProps) {
  const [pointed, setPointed] = useState<number | null>(null);
  const before = points.flatMap(({ compared }) => compared ?? []);
  const top = niceCeiling(Math.max(...points.map(({ value, part = 0 }) => Math.max(value, part)), ...before, 1));
  const step = WIDTH / points.length;
  const bar = Math.max(2, Math.min(48, step * 0.64));
  const y = (value: number): number => HEIGHT - (value / top) * HEIGHT;
  const rect = (i: number, value: number, className: string | undefined) => (
    <rect
      x={(i + 0.5) * step - bar / 2}
      y={y(value)}
      width={bar}
      height={HEIGHT - y(value)}
      rx="2"
      className={className}
      data-pointed={pointed === i || undefined}
    />
  );
  const line = before.map((value, i) => `${i === 0 ? 'M' : 'L'}${(i + 0.5) * step} ${y(value)}`).join('');
  const shown = pointed === null ? undefined : points[pointed];
  return (
    <figure className={css.chart}>
      <figcaption className={css.legend}>
        {shown === undefined ? (
          <>
            <span className={names.parts === undefined ? css.now : css.whole}>{names.bars}</span>
            {names.parts === undefined ? null : <span className={css.now}>{names.parts}</span>}
            {before.length > 0 ? <span className={css.before}>{names.line}</span> : null}
          </>
        ) : (
          <span className="num">
            {shown.name}: <strong>{text(shown.value)}</strong>
            {shown.part === undefined ? null : `, ${names.parts}: ${text(shown.part)}`}
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
          {points.map(({ key, value, part }, i) => (
            <g key={key}>
              {rect(i, value, part === undefined ? css.bar : css.outline)}
              {part === undefined ? null : rect(i, part, css.bar)}
            </g>
          ))}
          {before.some((value) => value > 0) ? <path d={line} className={css.line} /> : null}
        </svg>
        <div className={css.ends} aria-hidden="true">
          <span>{points[0]?.name}</span>
          {points.length > 1 ? <span>{points.at(-1)?.name}</span> : null}
        </div>
      </div>
      <div className="visually-hidden">
        <table>
          <caption>{caption}</caption>
          <thead>
            <tr>
              <th scope="col">{names.column}</th>
              <th scope="col">{names.bars}</th>
              {names.parts === undefined ? null : <th scope="col">{names.parts}</th>}
              {before.length > 0 ? <th scope="col">{names.line}</th> : null}
            </tr>
          </thead>
          <tbody>
            {points.map(({ key, name, value, part, compared }) => (
              <tr key={key}>
                <th scope="row">{name}</th>
                <td>{text(value)}</td>
                {part === undefined ? null : <td>{text(part)}</td>}
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
