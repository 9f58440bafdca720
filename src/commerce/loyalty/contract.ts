import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { Id, IdParams, Nullable, OneOf, pageQuery, Trimmed } from '../../lib/schemas.ts';

export const LoyaltyBalance = Type.Object({
  customer_id: Id,
  current_balance: Type.Integer(),
  lifetime_points: Type.Integer({
    description: 'Points earned by all orders that were not cancelled, including redeemed points',
  }),
  dollar_value: Type.Number({ description: "Value of the balance in the shop's currency, rounded down" }),
});
export type LoyaltyBalance = Static<typeof LoyaltyBalance>;

const EARN_ON = ['placed', 'delivered'] as const;

export const LoyaltyProgram = Type.Object({
  points_per_dollar: Type.Integer({ description: 'Points for each whole unit of the currency' }),
  point_value: Type.Number({ description: 'Value of a redeemed point' }),
  min_redeem_points: Type.Integer(),
  enabled: Type.Boolean({ description: 'While false, nothing is earned or redeemed' }),
  earn_on: OneOf(EARN_ON, { description: 'When an order earns its points' }),
});
export type LoyaltyProgram = Static<typeof LoyaltyProgram>;

export const LoyaltyProgramPatch = Type.Object({
  points_per_dollar: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
  point_value: Type.Optional(Type.Number({ minimum: 0.000001, maximum: 1_000, description: 'At most six decimals' })),
  min_redeem_points: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000 })),
  enabled: Type.Optional(Type.Boolean()),
  earn_on: Type.Optional(OneOf(EARN_ON)),
});
export type LoyaltyProgramPatch = Static<typeof LoyaltyProgramPatch>;

export const LedgerEntry = Type.Object({
  id: Id,
  type: OneOf(['earn', 'redeem', 'reverse_earn', 'restore', 'adjust']),
  points: Type.Integer({ description: 'Change of the balance; negative for redeemed and reversed points' }),
  order_id: Nullable(Id),
  reason: Nullable(Type.String()),
  actor: Type.String(),
  created_at: Type.String({ format: 'date-time' }),
});
export type LedgerEntry = Static<typeof LedgerEntry>;

export const Adjustment = Type.Object({
  points: Type.Integer({ minimum: -1_000_000_000, maximum: 1_000_000_000, description: 'To add, or below 0 to take' }),
  reason: Type.Optional(Nullable(Trimmed({ maxLength: 500 }))),
});
export type Adjustment = Static<typeof Adjustment>;

export const getBalance = {
  method: 'GET',
  path: '/customers/{id}/loyalty',
  scope: 'customers:read',
  tag: 'Loyalty',
  summary: "Read a customer's points",
  params: IdParams,
  data: LoyaltyBalance,
  status: 200,
} as const satisfies Endpoint;

export const listLedger = {
  method: 'GET',
  path: '/customers/{id}/loyalty/ledger',
  scope: 'customers:read',
  tag: 'Loyalty',
  summary: "List what changed a customer's points",
  description: 'Newest first; the balance is their sum.',
  params: IdParams,
  query: Type.Object(pageQuery(25)),
  inOrderOf: { by: 'id' },
  data: Type.Array(LedgerEntry),
  status: 200,
} as const satisfies Endpoint;

export const adjustBalance = {
  method: 'POST',
  path: '/customers/{id}/loyalty/adjust',
  scope: 'customers:write',
  tag: 'Loyalty',
  summary: 'Give or take points by hand',
  description: 'Taking more than the customer has is refused with `insufficient_points`.',
  params: IdParams,
  body: Adjustment,
  data: LoyaltyBalance,
  status: 200,
} as const satisfies Endpoint;

export const getProgram = {
  method: 'GET',
  path: '/loyalty/settings',
  scope: 'loyalty:read',
  tag: 'Loyalty',
  summary: 'Read the loyalty program',
  data: LoyaltyProgram,
  status: 200,
} as const satisfies Endpoint;

export const updateProgram = {
  method: 'PATCH',
  path: '/loyalty/settings',
  scope: 'settings:write',
  tag: 'Loyalty',
  summary: 'Change the loyalty program',
  description: 'Holds for orders from now on; points already given stay.',
  body: LoyaltyProgramPatch,
  data: LoyaltyProgram,
  status: 200,
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const loyaltyEndpoints: readonly Endpoint[] = [getBalance, listLedger, adjustBalance, getProgram, updateProgram];
