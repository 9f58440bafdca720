import { t } from '../../../i18n/i18n.ts';
import { Section } from '../../../ui/DetailPage.tsx';
import { useFormat } from '../../../ui/format.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import type { MarketingOverview } from '../queries.ts';
import css from './Marketing.module.css';

type Level = 'good' | 'high' | 'over';

/** Fewer e-mails allow no conclusion: one complaint in a hundred is 1 %. */
const ENOUGH = 1_000;

function levelOf(rate: number, target: number, limit: number): Level {
  return rate >= limit ? 'over' : rate >= target ? 'high' : 'good';
}

/** How e-mails arrived, compared to the limits of mailbox providers. */
export function Deliverability({ overview: { deliverability } }: { overview: MarketingOverview }) {
  const format = useFormat();
  const { total, limits } = deliverability;
  const percent = (rate: number): string => format.percent(Math.round(rate * 10_000) / 10_000);
  const rates = [
    {
      title: t('home.deliverability.bounces'),
      rate: total.bounce_rate,
      n: total.bounced,
      limit: limits.bounce_rate,
      target: limits.bounce_rate_target,
      help: t('home.deliverability.bounces.help', { limit: percent(limits.bounce_rate) }),
    },
    {
      title: t('home.deliverability.complaints'),
      rate: total.complaint_rate,
      n: total.complained,
      limit: limits.complaint_rate,
      target: limits.complaint_rate_target,
      help: t('home.deliverability.complaints.help', {
        limit: percent(limits.complaint_rate),
        target: percent(limits.complaint_rate_target),
      }),
    },
  ];
  return (
    <Section title={t('home.deliverability')}>
      <p className={css.sum}>
        <strong className="num">{format.number(total.sent)}</strong>{' '}
        <span className="dim">{t('home.deliverability.sent')}</span>
      </p>
      <dl className={css.rates}>
        {rates.map(({ title, rate, n, limit, target, help }) => {
          const level = levelOf(rate, target, limit);
          return (
            <div key={title} data-level={level}>
              <dt>{title}</dt>
              <dd className="num">
                <strong>{percent(rate)}</strong> <span className="dim">({format.number(n)})</span>{' '}
                <span className={css.level}>
                  <Icon name={level === 'good' ? 'check' : 'alert-triangle'} size={15} />{' '}
                  {t(`home.deliverability.${level}`)}
                </span>
              </dd>
              <dd className="dim">{help}</dd>
            </div>
          );
        })}
      </dl>
      {total.sent > 0 && total.sent < ENOUGH ? (
        <p className={`${css.few} dim`}>{t('home.deliverability.few', { n: format.number(ENOUGH) })}</p>
      ) : null}
    </Section>
  );
}
