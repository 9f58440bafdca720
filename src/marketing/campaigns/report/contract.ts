import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../../http/api/endpoint.ts';
import { Id, IdParams, Nullable } from '../../../lib/schemas.ts';
import { HoldOut } from '../hold-out/contract.ts';

export const Counts = Type.Object({
  queued: Type.Integer(),
  sent: Type.Integer(),
  failed: Type.Integer(),
  skipped: Type.Integer(),
  unknown: Type.Integer(),
  delivered: Type.Integer({ description: 'Sent, and no bounce reported since' }),
  opened: Type.Integer({ description: 'By recipients, as far as it shows' }),
  machine_opened: Type.Integer({ description: 'By mail services and scanners; such messages may be opened as well' }),
  clicked: Type.Integer(),
  bounced: Type.Integer(),
  complained: Type.Integer(),
  unsubscribed: Type.Integer(),
  converted: Type.Integer({ description: 'Orders after a click, else an open, within the attribution period' }),
  revenue: Type.Number({ description: "Of these orders, in the shop's currency" }),
  refunded: Type.Number({ description: 'Of these orders, refunds and chargebacks without what was paid too much' }),
  net: Type.Number({ description: '`revenue` − `refunded`' }),
});
export type Counts = Static<typeof Counts>;
/** What happens to messages after they are sent. */
export const ACTIVITY = [
  ...(['opened', 'machine_opened', 'clicked', 'bounced', 'complained', 'unsubscribed', 'converted'] as const),
  ...(['revenue', 'refunded', 'net'] as const),
] as const;

/** What campaigns are compared by. */
const COMPARED = [
  'sent',
  'delivered',
  'opened',
  'clicked',
  'bounced',
  'complained',
  'unsubscribed',
  'converted',
] as const;
const Benchmark = Type.Object(
  { campaigns: Type.Integer(), ...Type.Pick(Counts, COMPARED).properties },
  {
    description:
      'What became of the campaigns of the same type that started in the 90 days before this one, of at most the last hundred; null without one',
  },
);
export type Benchmark = Static<typeof Benchmark>;

const Day = Type.Object({
  date: Type.String({ description: 'YYYY-MM-DD' }),
  ...Type.Pick(Counts, ['sent', ...ACTIVITY]).properties,
});
const Reason = Type.Object({ status: Type.String(), reason: Nullable(Type.String()), count: Type.Integer() });
export const Report = Type.Object({
  campaign_id: Id,
  counts: Counts,
  benchmark: Nullable(Benchmark),
  winner: Nullable(Type.String()),
  hold_out: Nullable(HoldOut),
  variants: Type.Array(Type.Object({ key: Type.String(), counts: Counts })),
  links: Type.Array(
    Type.Object({ url: Type.String(), clicks: Type.Integer({ description: 'Recipients who clicked' }) }),
    { description: 'The hundred that most clicked' },
  ),
  days: Type.Array(Day, { description: 'On which something happened, in UTC' }),
  reasons: Type.Array(Reason, { description: 'Why messages failed, were skipped or are unknown' }),
});

export const getReport = {
  method: 'GET',
  path: '/campaigns/{id}/report',
  scope: 'marketing:read',
  tag: 'Campaigns',
  summary: 'Read what became of a campaign',
  params: IdParams,
  data: Report,
  status: 200,
} as const satisfies Endpoint;
