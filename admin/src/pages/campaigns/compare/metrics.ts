import type { Campaign } from '../queries.ts';

type Counts = Campaign['counts'];

export interface Metric {
  /** The last part of the text's key. */
  name:
    | 'recipients'
    | 'delivered'
    | 'opened'
    | 'clicked'
    | 'converted'
    | 'revenue'
    | 'net'
    | 'unsubscribed'
    | 'bounced'
    | 'complained';
  of(campaign: Campaign): number;
  /** Which value is best; null where none is. */
  best: 'most' | 'least' | null;
}

const count = (name: Exclude<Metric['name'], 'recipients'> & keyof Counts, best: Metric['best']): Metric => ({
  name,
  of: ({ counts }) => counts[name],
  best,
});

export const METRICS: readonly Metric[] = [
  { name: 'recipients', of: ({ counts }) => counts.sent, best: null },
  count('delivered', 'most'),
  count('opened', 'most'),
  count('clicked', 'most'),
  count('converted', 'most'),
  count('revenue', 'most'),
  count('net', 'most'),
  count('unsubscribed', 'least'),
  count('bounced', 'least'),
  count('complained', 'least'),
];

export const FEWEST = 2;
export const MOST = 5;

/** The value per recipient, so that campaigns of any size can be compared; null where nothing was sent. */
export function perRecipient(metric: Metric, campaign: Campaign): number | null {
  return campaign.counts.sent === 0 ? null : metric.of(campaign) / campaign.counts.sent;
}

/** The campaigns with the best value per recipient; none where all are equal. */
export function bestOf(metric: Metric, campaigns: readonly Campaign[]): ReadonlySet<number> {
  if (metric.best === null) return new Set();
  const values = campaigns.flatMap((campaign) => {
    const value = perRecipient(metric, campaign);
    return value === null ? [] : [{ id: campaign.campaign_id, value }];
  });
  const all = values.map(({ value }) => value);
  const [least, most] = [Math.min(...all), Math.max(...all)];
  if (values.length < FEWEST || least === most) return new Set();
  const wanted = metric.best === 'most' ? most : least;
  return new Set(values.filter(({ value }) => value === wanted).map(({ id }) => id));
}

/** The campaigns of an address such as `3-7-12`: each once, and no more than are compared. */
export function idsOf(text: string | undefined): number[] {
  const ids = (text ?? '').split('-').map(Number);
  return [...new Set(ids.filter((id) => Number.isSafeInteger(id) && id > 0))].slice(0, MOST);
}
