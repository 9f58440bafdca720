import Type, { type Static, type TSchema } from 'typebox';
import type { Endpoint } from '../../../http/api/endpoint.ts';
import { Id, IdParams, Nullable, OneOf, pageQuery, Trimmed } from '../../../lib/schemas.ts';
import { MAX_STOCK } from '../levels.ts';
import { TRANSFER_STATUSES } from './transfer-states.ts';

const Moment = Type.String({ format: 'date-time' });
const Qty = Type.Integer({ minimum: 1, maximum: MAX_STOCK });

/** The lines of a document, at most 500. */
function Lines<L extends TSchema>(line: L) {
  return Type.Array(line, { minItems: 1, maxItems: 500 });
}

const recorded = {
  actor: Type.String(),
  created_at: Moment,
};

const Adjustment = Type.Object({
  id: Id,
  reason: Nullable(Type.String()),
  lines: Type.Array(
    Type.Object({
      product_id: Id,
      location_id: Id,
      delta: Type.Integer(),
      available: Type.Integer({ description: 'At the location, after the line' }),
    }),
  ),
  ...recorded,
});
export type Adjustment = Static<typeof Adjustment>;

export const AdjustmentInput = Type.Object({
  reason: Type.Optional(Nullable(Trimmed({ maxLength: 500 }))),
  lines: Lines(
    Type.Object({
      product_id: Id,
      location_id: Type.Optional(
        Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'The main location where absent' }),
      ),
      delta: Type.Optional(
        Type.Integer({ minimum: -MAX_STOCK, maximum: MAX_STOCK, description: 'The change; this or `set_to`' }),
      ),
      set_to: Type.Optional(
        Type.Integer({ minimum: 0, maximum: MAX_STOCK, description: 'What can be sold at the location afterwards' }),
      ),
    }),
  ),
});
export type AdjustmentInput = Static<typeof AdjustmentInput>;

const Receipt = Type.Object({
  id: Id,
  location_id: Id,
  supplier: Nullable(Type.String()),
  reference: Nullable(Type.String()),
  lines: Type.Array(Type.Object({ product_id: Id, qty: Type.Integer(), unit_cost: Nullable(Type.Number()) })),
  ...recorded,
});
export type Receipt = Static<typeof Receipt>;

export const ReceiptInput = Type.Object({
  location_id: Id,
  supplier: Type.Optional(Nullable(Trimmed({ maxLength: 200 }))),
  reference: Type.Optional(Nullable(Trimmed({ maxLength: 100, description: 'Number of the delivery note' }))),
  lines: Lines(
    Type.Object({
      product_id: Id,
      qty: Qty,
      unit_cost: Type.Optional(
        Nullable(Type.Number({ minimum: 0, maximum: 1_000_000_000, description: 'Only kept with the receipt' })),
      ),
    }),
  ),
});
export type ReceiptInput = Static<typeof ReceiptInput>;

const Transfer = Type.Object({
  id: Id,
  status: OneOf(TRANSFER_STATUSES),
  from_location_id: Id,
  to_location_id: Id,
  note: Nullable(Type.String()),
  lines: Type.Array(
    Type.Object({
      product_id: Id,
      qty: Type.Integer(),
      received: Type.Integer(),
      missing: Type.Integer({ description: 'Sent, and recorded as never arrived' }),
      returned: Type.Integer({ description: 'Sent, and returned to the source by the cancellation' }),
    }),
  ),
  ...recorded,
  updated_at: Moment,
  sent_at: Nullable(Type.String({ format: 'date-time' })),
});
export type Transfer = Static<typeof Transfer>;

const TransferLines = Lines(Type.Object({ product_id: Id, qty: Qty }));
const Note = Type.Optional(Nullable(Trimmed({ maxLength: 500 })));

export const TransferInput = Type.Object({
  from_location_id: Id,
  to_location_id: Id,
  note: Note,
  lines: TransferLines,
});
export type TransferInput = Static<typeof TransferInput>;

export const TransferPatch = Type.Object({
  from_location_id: Type.Optional(Id),
  to_location_id: Type.Optional(Id),
  note: Note,
  lines: Type.Optional(TransferLines),
});
export type TransferPatch = Static<typeof TransferPatch>;

export const TransferReceived = Type.Object({
  lines: Type.Optional(
    Type.Array(Type.Object({ product_id: Id, qty: Qty }), {
      maxItems: 500,
      description: 'What has arrived now; required without `complete`',
    }),
  ),
  complete: Type.Optional(
    Type.Boolean({ description: 'true: nothing more arrives, and what is open is recorded as missing' }),
  ),
});
export type TransferReceived = Static<typeof TransferReceived>;

const DocumentQuery = Type.Object(pageQuery(25));
export type DocumentQuery = Static<typeof DocumentQuery>;
export const TransferQuery = Type.Object({
  status: Type.Optional(OneOf(TRANSFER_STATUSES)),
  ...pageQuery(25),
});
export type TransferQuery = Static<typeof TransferQuery>;

const reads = {
  method: 'GET',
  scope: 'inventory:read',
  tag: 'Inventory',
  description: 'The latest first.',
  inOrderOf: { by: 'id' },
  status: 200,
} as const;
const writes = { scope: 'inventory:write', tag: 'Inventory', status: 200 } as const;

export const listAdjustments = {
  ...reads,
  path: '/inventory/adjustments',
  summary: 'List adjustments of stock',
  query: DocumentQuery,
  data: Type.Array(Adjustment),
} as const satisfies Endpoint;

export const createAdjustment = {
  ...writes,
  method: 'POST',
  path: '/inventory/adjustments',
  summary: 'Adjust the stock of several products',
  description:
    'All lines or none, one after the other. Each has `delta` or `set_to`. Stock cannot become negative. Concurrent orders are respected.',
  body: AdjustmentInput,
  data: Adjustment,
  status: 201,
} as const satisfies Endpoint;

export const listReceipts = {
  ...reads,
  path: '/inventory/receipts',
  summary: 'List receipts of goods',
  query: DocumentQuery,
  data: Type.Array(Receipt),
} as const satisfies Endpoint;

export const getReceipt = {
  method: 'GET',
  scope: 'inventory:read',
  tag: 'Inventory',
  path: '/inventory/receipts/{id}',
  summary: 'Read a receipt of goods',
  params: IdParams,
  data: Receipt,
  status: 200,
} as const satisfies Endpoint;

export const createReceipt = {
  ...writes,
  method: 'POST',
  path: '/inventory/receipts',
  summary: 'Record goods that arrived',
  description: 'Adds the quantities to the stock of the location.',
  body: ReceiptInput,
  data: Receipt,
  status: 201,
} as const satisfies Endpoint;

export const listTransfers = {
  ...reads,
  path: '/inventory/transfers',
  summary: 'List transfers between locations',
  query: TransferQuery,
  data: Type.Array(Transfer),
} as const satisfies Endpoint;

export const getTransfer = {
  method: 'GET',
  scope: 'inventory:read',
  tag: 'Inventory',
  path: '/inventory/transfers/{id}',
  summary: 'Read a transfer',
  params: IdParams,
  data: Transfer,
  status: 200,
} as const satisfies Endpoint;

export const createTransfer = {
  ...writes,
  method: 'POST',
  path: '/inventory/transfers',
  summary: 'Draft a transfer between locations',
  description: 'Moves nothing until it is sent. A product occurs once.',
  body: TransferInput,
  data: Transfer,
  status: 201,
} as const satisfies Endpoint;

export const updateTransfer = {
  ...writes,
  method: 'PATCH',
  path: '/inventory/transfers/{id}',
  summary: 'Change a draft of a transfer',
  description: '`lines` replaces all lines. Refused with `invalid_status_transition` unless it is a draft.',
  params: IdParams,
  body: TransferPatch,
  data: Transfer,
} as const satisfies Endpoint;

export const sendTransfer = {
  ...writes,
  method: 'POST',
  path: '/inventory/transfers/{id}/send',
  summary: 'Send a transfer',
  description: 'All lines leave the source, or none (`insufficient_stock`).',
  mayRefuse: true,
  params: IdParams,
  data: Transfer,
} as const satisfies Endpoint;

export const receiveTransfer = {
  ...writes,
  method: 'POST',
  path: '/inventory/transfers/{id}/receive',
  summary: 'Receive goods of a transfer',
  description: 'Several times, if they arrive in parts. It is received when nothing is open, or with `complete`.',
  params: IdParams,
  body: TransferReceived,
  data: Transfer,
} as const satisfies Endpoint;

export const cancelTransfer = {
  ...writes,
  method: 'POST',
  path: '/inventory/transfers/{id}/cancel',
  summary: 'Cancel a transfer',
  description: 'Units that were sent and not received return to the source.',
  mayRefuse: true,
  params: IdParams,
  data: Transfer,
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const stockDocumentEndpoints: readonly Endpoint[] = [
  listAdjustments,
  createAdjustment,
  listReceipts,
  getReceipt,
  createReceipt,
  listTransfers,
  getTransfer,
  createTransfer,
  updateTransfer,
  sendTransfer,
  receiveTransfer,
  cancelTransfer,
];
