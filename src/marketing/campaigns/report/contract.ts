import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../../http/api/endpoint.ts';
import { Id, IdParams, Nullable, OneOf, pageQuery } from '../../../lib/schemas.ts';
import { MESSAGE_STATUSES } from '../../../messaging/ledger/message.ts';
import { HoldOut } from '../hold-out/contract.ts';
import { RECIPIENT_STATES } from '../recipients/states.ts';

const Timestamp = Type.String({ description: 'YYYY-MM-DD HH:MM:SS, UTC' });

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
});
export type Counts = Static<typeof Counts>;
/** What happens to messages after they are sent. */
export const ACTIVITY = [
  ...(['opened', 'machine_opened', 'clicked', 'bounced', 'complained', 'unsubscribed', 'converted'] as const),
  'revenue',
] as const;

export const Recipient = Type.Object({
  message_id: Id,
  contact_id: Nullable(Id),
  recipient: Nullable(Type.String({ description: 'Where it went' })),
  status: OneOf(MESSAGE_STATUSES),
  reason: Nullable(Type.String()),
  variant: Nullable(Type.String()),
  sent_at: Nullable(Timestamp),
});
export type Recipient = Static<typeof Recipient>;
export const RecipientQuery = Type.Object({
  state: Type.Optional(
    OneOf(RECIPIENT_STATES, {
      description:
        'queued: everything that is on its way; opened, clicked, bounced: what became of it, whatever its status',
    }),
  ),
  ...pageQuery(20),
});
export type RecipientQuery = Static<typeof RecipientQuery>;

const Day = Type.Object({
  date: Type.String({ description: 'YYYY-MM-DD' }),
  ...Type.Pick(Counts, ['sent', ...ACTIVITY]).properties,
});
const Reason = Type.Object({ status: Type.String(), reason: Nullable(Type.String()), count: Type.Integer() });
export const Report = Type.Object({
  campaign_id: Id,
  counts: Counts,
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

const read = { scope: 'marketing:read', tag: 'Campaigns', status: 200 } as const;

export const listRecipients = {
  ...read,
  method: 'GET',
  path: '/campaigns/{id}/recipients',
  summary: 'List the recipients of a campaign',
  params: IdParams,
  query: RecipientQuery,
  inOrderOf: { by: 'message_id' },
  data: Type.Array(Recipient),
  listAs: 'recipients',
} as const satisfies Endpoint;

export const getReport = {
  ...read,
  method: 'GET',
  path: '/campaigns/{id}/report',
  summary: 'Read what became of a campaign',
  params: IdParams,
  data: Report,
} as const satisfies Endpoint;
