import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../../http/api/endpoint.ts';
import { Id, Trimmed } from '../../../lib/schemas.ts';
import { basket, OrderItem, TaxLines } from '../schemas.ts';

const CalculationInput = Type.Object({
  ...basket,
  customer_id: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Absent: somebody who has never ordered and has no points',
    }),
  ),
  shipping_address: Type.Optional(Trimmed({ maxLength: 500 })),
  shipping_city: Type.Optional(Trimmed({ maxLength: 200 })),
  shipping_zip: Type.Optional(
    Trimmed({ maxLength: 20, description: 'Needed where tax or shipping rules go by postal code' }),
  ),
});
export type CalculationInput = Static<typeof CalculationInput>;

const Calculation = Type.Object({
  currency: Type.String(),
  items: Type.Array(OrderItem),
  subtotal: Type.Number(),
  discount: Type.Number({ description: 'promo_discount + points_discount' }),
  promo_discount: Type.Number(),
  points_discount: Type.Number(),
  points_redeemed: Type.Integer(),
  points_earned: Type.Integer({ description: 'What the order would earn; 0 while the loyalty program is off' }),
  shipping: Type.Number(),
  shipping_country: Type.String({ description: 'ISO 3166 alpha-2' }),
  shipping_method: Type.Object({ id: Id, name: Type.String() }),
  shipping_methods: Type.Array(Type.Object({ id: Id, name: Type.String(), cost: Type.Number() }), {
    description: 'All that are offered for this address and value, before a promo code for free shipping',
  }),
  tax: Type.Number(),
  tax_lines: TaxLines,
  total: Type.Number({ description: 'subtotal − discount + tax + shipping' }),
});
export type Calculation = Static<typeof Calculation>;

export const calculateOrder = {
  method: 'POST',
  path: '/orders/calculate',
  unaudited: 'changes nothing',
  scope: 'orders:read',
  tag: 'Orders',
  summary: 'Calculate what an order would cost',
  description:
    'A dry run of placing the order, by the same calculation: nothing is written, and what could not be placed gets the response that the order would get.',
  body: CalculationInput,
  data: Calculation,
  status: 200,
} as const satisfies Endpoint;
