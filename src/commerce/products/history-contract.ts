import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { Id, Nullable, OneOf, pageQuery, Trimmed } from '../../lib/schemas.ts';
import { MOVEMENT_KINDS } from '../inventory/stock.ts';
import { Inventory, ref } from './contract.ts';

const Moment = Type.String({ format: 'date-time' });

export const PriceChange = Type.Object({
  id: Id,
  old_price: Nullable(Type.Number({ description: 'null for the first price' })),
  new_price: Type.Number(),
  actor: Type.String(),
  actor_name: Nullable(Type.String({ description: "The person's name" })),
  created_at: Moment,
});
export type PriceChange = Static<typeof PriceChange>;

export const StockMovement = Type.Object({
  id: Id,
  product_id: Id,
  location_id: Id,
  kind: OneOf(MOVEMENT_KINDS),
  reference_id: Nullable(
    Type.Integer({
      description:
        'What moved the stock: the order line for `order`, `cancel` and `restock`, the item of a reservation for `reserve` and `release`, the adjustment, transfer, receipt or import',
    }),
  ),
  order_id: Nullable(Type.Integer({ description: 'For `order`, `cancel` and `restock`' })),
  delta: Type.Integer(),
  reason: Nullable(Type.String()),
  actor: Type.String(),
  actor_name: Nullable(Type.String({ description: "The person's name" })),
  created_at: Moment,
});
export type StockMovement = Static<typeof StockMovement>;

const HistoryQuery = Type.Object(pageQuery(25));
export type HistoryQuery = Static<typeof HistoryQuery>;

export const StockAdjustment = Type.Object({
  delta: Type.Integer({
    minimum: -1_000_000_000,
    maximum: 1_000_000_000,
    description: 'The change, positive or negative',
  }),
  reason: Type.Optional(Nullable(Trimmed({ maxLength: 500 }))),
});
export type StockAdjustment = Static<typeof StockAdjustment>;

const read = { scope: 'products:read', tag: 'Products', status: 200, params: ref } as const;

export const listPriceChanges = {
  ...read,
  method: 'GET',
  path: '/products/{id}/price-history',
  summary: "List a product's prices",
  description: 'The latest first.',
  query: HistoryQuery,
  inOrderOf: { by: 'id' },
  data: Type.Array(PriceChange),
} as const satisfies Endpoint;

export const listStockMovements = {
  ...read,
  method: 'GET',
  path: '/products/{id}/stock-movements',
  summary: "List what changed a product's stock",
  description: 'The latest first. The stock is the sum of all movements.',
  query: HistoryQuery,
  inOrderOf: { by: 'id' },
  data: Type.Array(StockMovement),
} as const satisfies Endpoint;

export const adjustStock = {
  method: 'POST',
  path: '/products/{id}/inventory/adjust',
  scope: 'products:write',
  personScope: 'inventory:write',
  tag: 'Products',
  summary: "Adjust a product's stock",
  description: 'Adds to or subtracts from the stock, which cannot become negative. Concurrent orders are respected.',
  params: ref,
  body: StockAdjustment,
  data: Inventory,
  status: 200,
} as const satisfies Endpoint;

export const productHistoryEndpoints: readonly Endpoint[] = [listPriceChanges, listStockMovements, adjustStock];
