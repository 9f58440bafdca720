import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../../http/api/endpoint.ts';
import { Id, Nullable, pageQuery } from '../../../lib/schemas.ts';

const InventoryItem = Type.Object({
  product_id: Id,
  name: Type.String(),
  sku: Nullable(Type.String()),
  barcode: Nullable(Type.String()),
  stock_qty: Type.Integer({ description: 'What can be sold now, at all online locations' }),
  in_stock: Type.Boolean(),
  reserved: Type.Integer({ description: 'Units set aside for carts that are being paid; not part of `stock_qty`' }),
  low_stock_at: Nullable(Type.Integer()),
  levels: Type.Array(Type.Object({ location_id: Id, available: Type.Integer(), reserved: Type.Integer() }), {
    description: 'Of the active locations, by position',
  }),
});
export type InventoryItem = Static<typeof InventoryItem>;

export const InventoryQuery = Type.Object({
  location_id: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Only products with units at the location, reserved ones included',
    }),
  ),
  product_id: Type.Optional(
    Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Only this product' }),
  ),
  search: Type.Optional(
    Type.String({ maxLength: 200, description: 'Words of the name or the description, or the SKU or barcode' }),
  ),
  low: Type.Optional(Type.Boolean({ description: 'Only products whose stock is at `low_stock_at` or below' })),
  running_out: Type.Optional(
    Type.Boolean({
      description:
        'Only products whose stock is at `low_stock_at` or below, or lasts at most 14 days as they sold in the last 30 days',
    }),
  ),
  ...pageQuery(25),
});
export type InventoryQuery = Static<typeof InventoryQuery>;

const Reservation = Type.Object({
  id: Id,
  cart_id: Id,
  location_id: Id,
  qty: Type.Integer(),
  reserved_until: Type.String({ format: 'date-time' }),
});
export type Reservation = Static<typeof Reservation>;

export const ReservationQuery = Type.Object(pageQuery(25));
export type ReservationQuery = Static<typeof ReservationQuery>;

const reads = { method: 'GET', scope: 'inventory:read', tag: 'Inventory', status: 200 } as const;

export const listInventory = {
  ...reads,
  path: '/inventory',
  summary: 'List the stock of products by location',
  description: 'Products without variants, and variants; the latest first. Archived ones are left out, drafts are not.',
  query: InventoryQuery,
  inOrderOf: { by: 'product_id', id: 'product_id' },
  data: Type.Array(InventoryItem),
} as const satisfies Endpoint;

export const listReservations = {
  ...reads,
  path: '/products/{id}/reservations',
  summary: 'List the reservations of a product',
  description: 'The latest first. A parent has none of its own.',
  params: Type.Object({ id: Type.String({ description: 'Id or slug' }) }),
  query: ReservationQuery,
  inOrderOf: { by: 'id' },
  data: Type.Array(Reservation),
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const inventoryEndpoints: readonly Endpoint[] = [listInventory, listReservations];
