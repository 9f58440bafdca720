import Type, { type Static } from 'typebox';
import { Nullable, OneOf } from '../../../lib/schemas.ts';
import { VERDICTS } from './comparison.ts';

export const HoldoutPercent = Type.Integer({
  minimum: 0,
  maximum: 50,
  description:
    'Of the recipients, how many in a hundred get no message, drawn by chance: the report compares their orders with those of the others',
});

const Group = Type.Object({
  recipients: Type.Integer(),
  orders: Type.Integer({ description: 'Placed in the window, regardless of opens' }),
  revenue: Type.Number({ description: "Of these orders, in the shop's currency" }),
  orders_per_recipient: Type.Number(),
  revenue_per_recipient: Type.Number(),
});
const Lift = Nullable(
  Type.Number({
    description: 'Percent by which a messaged recipient exceeds one held out; null: nothing to compare with',
  }),
);

/** Both groups of a campaign with a hold-out group. */
export const HoldOut = Type.Object(
  {
    percent: HoldoutPercent,
    window_ends_at: Type.String({
      description:
        'YYYY-MM-DD HH:MM:SS, UTC: the end of the window, `attribution_days` after the start (26 hours more with send_in_contact_time_zone)',
    }),
    messaged: Group,
    held_out: Group,
    orders_lift: Lift,
    revenue_lift: Lift,
    verdict: OneOf(VERDICTS, {
      description:
        'The verdict with 95 % confidence. `too_small`: a group below 100 recipients or fewer than 20 orders in all; `no_difference`: chance can explain the difference',
    }),
  },
  { description: 'Of a campaign with a `holdout_percent`, once all recipients are drawn' },
);
export type HoldOut = Static<typeof HoldOut>;
