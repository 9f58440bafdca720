import type { ReactNode } from 'react';
import { language } from '../../i18n/i18n.ts';
import css from './Month.module.css';
import { firstDayOfWeek, type Month, weeksOf } from './month.ts';

interface MonthGridProps {
  caption: string;
  month: Month;
  /** YYYY-MM-DD */
  today: string;
  /** Content of a day; null where there is none. */
  cell(date: string): ReactNode;
}

/** Weeks as rows; on a phone only the days with content. */
export function MonthGrid({ caption, month, today, cell }: MonthGridProps) {
  const tag = language();
  const name = (date: string, style: 'short' | 'long'): string =>
    new Intl.DateTimeFormat(tag, { weekday: style, timeZone: 'UTC' }).format(new Date(date));
  const weeks = weeksOf(month, firstDayOfWeek(tag));
  return (
    <table className={css.table}>
      <caption className="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          {weeks[0]!.map((date) => (
            <th key={date} scope="col">
              <span aria-hidden="true">{name(date, 'short')}</span>
              <span className="visually-hidden">{name(date, 'long')}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week) => (
          <tr key={week[0]}>
            {week.map((date) => {
              const content = cell(date);
              return (
                <td
                  key={date}
                  data-other={date.slice(0, 7) !== month.name || undefined}
                  data-due={content !== null || undefined}
                  data-today={date === today || undefined}
                >
                  <time dateTime={date} aria-current={date === today ? 'date' : undefined}>
                    <span className={css.weekday}>{name(date, 'short')} </span>
                    {Number(date.slice(8))}
                  </time>
                  {content === null ? null : <div className={css.content}>{content}</div>}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
