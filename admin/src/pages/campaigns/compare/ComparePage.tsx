import '../../templates/texts.ts';
import { useQueries } from '@tanstack/react-query';
import { ok } from '../../../api/client.ts';
import { useSearchValues } from '../../../app/nav.ts';
import { useShop } from '../../../app/session.tsx';
import { t } from '../../../i18n/i18n.ts';
import { Anchor } from '../../../ui/Anchor.tsx';
import { useFormat } from '../../../ui/format.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { Status } from '../../../ui/Status.tsx';
import { Empty, Failure, Waiting } from '../../../ui/states.tsx';
import type { Campaign } from '../queries.ts';
import css from './ComparePage.module.css';
import { bestOf, FEWEST, idsOf, METRICS, type Metric, MOST, perRecipient } from './metrics.ts';

/** Two to five campaigns side by side; the address names them. */
export function ComparePage() {
  const { api, company } = useShop();
  const [values] = useSearchValues();
  const ids = idsOf(values.ids);
  const queries = useQueries({
    queries: ids.map((id) => ({
      queryKey: [company.id, 'campaigns', id],
      meta: { live: ['campaigns' as const] },
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        ok(api.GET('/campaigns/{id}', { params: { path: { id } }, signal })),
    })),
  });
  const failed = queries.find(({ error }) => error !== null);
  const campaigns = queries.flatMap(({ data }) => (data === undefined ? [] : [data]));
  return (
    <>
      <PageHeader title={t('campaign.compare.title')} back={{ path: 'campaigns', text: t('nav.campaigns') }} />
      {ids.length < FEWEST ? (
        <div className={css.card}>
          <Empty icon="send" title={t('campaign.compare.few')} text={t('campaign.compare.pick', { n: MOST })} />
        </div>
      ) : failed !== undefined ? (
        <Failure error={failed.error} reset={() => void failed.refetch()} />
      ) : campaigns.length < ids.length ? (
        <Waiting />
      ) : (
        <Comparison campaigns={campaigns} />
      )}
    </>
  );
}

function Comparison({ campaigns }: { campaigns: Campaign[] }) {
  return (
    <div className={css.card}>
      <table className={css.table}>
        <caption>{t('campaign.compare.caption')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('campaign.compare.metric')}</th>
            {campaigns.map((one) => (
              <th key={one.campaign_id} scope="col">
                <Anchor path={`campaigns/${one.campaign_id}`} className="break">
                  {one.name}
                </Anchor>
                <Status value={one.status} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {METRICS.map((metric) => (
            <Row key={metric.name} metric={metric} campaigns={campaigns} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ metric, campaigns }: { metric: Metric; campaigns: Campaign[] }) {
  const format = useFormat();
  const best = bestOf(metric, campaigns);
  const isMoney = metric.name === 'revenue' || metric.name === 'net';
  const partOf = (campaign: Campaign): string | null => {
    const part = perRecipient(metric, campaign);
    if (metric.name === 'recipients' || part === null) return null;
    return isMoney
      ? t('campaign.compare.each', { amount: format.money(part) })
      : format.percent(Math.round(part * 10_000) / 10_000);
  };
  return (
    <tr>
      <th scope="row">{t(`campaign.compare.${metric.name}`)}</th>
      {campaigns.map((one) => {
        const isBest = best.has(one.campaign_id);
        const value = metric.of(one);
        return (
          <td key={one.campaign_id} data-title={one.name} data-best={isBest || undefined}>
            <span className={css.value}>
              <span className="num">{isMoney ? format.money(value) : format.number(value)}</span>
              {isBest ? (
                <span className={css.best}>
                  <Icon name="star" size={14} /> {t('campaign.compare.best')}
                </span>
              ) : null}
            </span>
            <span className="dim num">{partOf(one)}</span>
          </td>
        );
      })}
    </tr>
  );
}
