import { t } from '../../i18n/i18n.ts';
import { LoadedPart, Section } from '../../ui/DetailPage.tsx';
import { useFormat } from '../../ui/format.tsx';
import css from './forms.module.css';
import { useDays } from './queries.ts';

const HEIGHT = 100;
/** Of each day, with a gap. */
const STEP = 20;
const BAR = 14;

interface Day {
  day: string;
  submissions: number;
  confirmed: number;
}

/** What came of the form on each day: bars, and the same as a table for those who do not see them. */
export function SignUps({ id }: { id: number }) {
  return (
    <Section title={t('form.days')}>
      <LoadedPart query={useDays(id)}>{({ days }) => <Chart days={days} />}</LoadedPart>
    </Section>
  );
}

function Chart({ days }: { days: Day[] }) {
  const format = useFormat();
  const top = Math.max(...days.map(({ submissions, confirmed }) => Math.max(submissions, confirmed)));
  if (top === 0) return <p className="dim">{t('form.days.none')}</p>;
  const [first, last] = [days[0]!, days.at(-1)!];
  const bar = (i: number, value: number, className: string | undefined) => {
    const height = (value / top) * HEIGHT;
    return (
      <rect x={i * STEP + (STEP - BAR) / 2} y={HEIGHT - height} width={BAR} height={height} className={className} />
    );
  };
  return (
    <figure className={css.chart}>
      <figcaption>
        <span className={css.sent}>{t('form.submissions')}</span>
        <span className={css.confirmed}>{t('form.confirmed')}</span>
        <span className="dim num">{t('form.days.most', { n: format.number(top) })}</span>
      </figcaption>
      <svg viewBox={`0 0 ${days.length * STEP} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {days.map(({ day, submissions, confirmed }, i) => (
          <g key={day}>
            {bar(i, submissions, css.sentBar)}
            {bar(i, confirmed, css.confirmedBar)}
          </g>
        ))}
      </svg>
      <div className={css.ends} aria-hidden="true">
        <span>{format.day(first.day)}</span>
        <span>{format.day(last.day)}</span>
      </div>
      <div className="visually-hidden">
        <table>
          <caption>{t('form.days')}</caption>
          <thead>
            <tr>
              <th scope="col">{t('field.day')}</th>
              <th scope="col">{t('form.submissions')}</th>
              <th scope="col">{t('form.confirmed')}</th>
            </tr>
          </thead>
          <tbody>
            {days.map(({ day, submissions, confirmed }) => (
              <tr key={day}>
                <th scope="row">{format.day(day)}</th>
                <td>{format.number(submissions)}</td>
                <td>{format.number(confirmed)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}
