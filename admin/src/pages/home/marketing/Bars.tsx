import css from './Bars.module.css';

const WIDTH = 720;
const HEIGHT = 120;

interface Series {
  title: string;
  values: number[];
  text(value: number): string;
}

interface BarsProps {
  caption: string;
  /** The first and the second series: stacked, or with the second one below the axis. */
  series: [Series, Series];
  below?: true;
  /** The name of each interval, in order. */
  names: string[];
  interval: string;
}

/** Two series as bars; also as a table for those who cannot see them. */
export function Bars({ caption, series, below, names, interval }: BarsProps) {
  const [first, second] = series;
  const tops = first.values.map((value, i) => (below ? value : value + second.values[i]!));
  const top = Math.max(1, ...tops, ...(below ? second.values : []));
  const height = below ? HEIGHT / 2 : HEIGHT;
  const of = (value: number): number => (Math.max(0, value) / top) * height;
  const step = WIDTH / Math.max(1, names.length);
  const width = Math.max(2, Math.min(40, step * 0.64));
  return (
    <figure className={css.figure}>
      <figcaption className={css.legend}>
        <span className={css.first}>{first.title}</span>
        <span className={css.second}>{second.title}</span>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {names.map((name, i) => {
          const x = (i + 0.5) * step - width / 2;
          const [up, other] = [of(first.values[i]!), of(second.values[i]!)];
          return (
            <g key={name}>
              <title>{`${name}: ${first.title} ${first.text(first.values[i]!)}, ${second.title} ${second.text(second.values[i]!)}`}</title>
              <rect className={css.bar} x={x} y={height - up} width={width} height={up} />
              <rect className={css.other} x={x} y={below ? height : height - up - other} width={width} height={other} />
            </g>
          );
        })}
        <line className={css.ground} x1="0" x2={WIDTH} y1={height} y2={height} />
      </svg>
      <div className={css.ends} aria-hidden="true">
        <span>{names[0]}</span>
        {names.length > 1 ? <span>{names.at(-1)}</span> : null}
      </div>
      <div className="visually-hidden">
        <table>
          <caption>{caption}</caption>
          <thead>
            <tr>
              <th scope="col">{interval}</th>
              {series.map(({ title }) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {names.map((name, i) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                {series.map(({ title, values, text }) => (
                  <td key={title}>{text(values[i]!)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}
