import { t } from '../../i18n/i18n.ts';
import { Section } from '../../ui/DetailPage.tsx';
import { useFormat } from '../../ui/format.tsx';
import { useGrowth } from './queries.ts';
import css from './segments.module.css';

const WIDTH = 600;
const HEIGHT = 120;
const DAY_MS = 86_400_000;

interface Count {
  day: string;
  count: number;
}

/** The number of contacts on each day. */
export function Growth({ id }: { id: number }) {
  const { data } = useGrowth(id);
  const growth = data?.growth ?? [];
  return (
    <Section title={t('segment.growth')}>
      {growth.length < 2 ? <p className="dim">{t('segment.growth.soon')}</p> : <Chart growth={growth} />}
    </Section>
  );
}

function Chart({ growth }: { growth: Count[] }) {
  const format = useFormat();
  const [first, last] = [growth[0]!, growth.at(-1)!];
  const top = Math.max(1, ...growth.map(({ count }) => count));
  return (
    <figure className={css.chart}>
      <figcaption className="num">
        {t('segment.growth.change', { change: format.signed(last.count - first.count), day: format.day(first.day) })}
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        <polygon className={css.area} points={`${pointsOf(growth, top)} ${WIDTH},${HEIGHT} 0,${HEIGHT}`} />
        <polyline className={css.line} points={pointsOf(growth, top)} />
      </svg>
      <div className={css.ends}>
        <span>
          {format.day(first.day)}: <span className="num">{format.number(first.count)}</span>
        </span>
        <span>
          {format.day(last.day)}: <span className="num">{format.number(last.count)}</span>
        </span>
      </div>
      <table className="visually-hidden">
        <caption>{t('segment.growth')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('field.day')}</th>
            <th scope="col">{t('nav.contacts')}</th>
          </tr>
        </thead>
        <tbody>
          {growth.map(({ day, count }) => (
            <tr key={day}>
              <td>{day}</td>
              <td>{format.number(count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}

/** Missing days leave a gap. */
function pointsOf(growth: Count[], top: number): string {
  const at = ({ day }: Count): number => Date.parse(day) / DAY_MS;
  const [from, until] = [at(growth[0]!), at(growth.at(-1)!)];
  return growth
    .map((one) => {
      const x = ((at(one) - from) / (until - from)) * WIDTH;
      return `${x.toFixed(1)},${(HEIGHT - 4 - (one.count / top) * (HEIGHT - 8)).toFixed(1)}`;
    })
    .join(' ');
}
