import Type, { type Static } from 'typebox';
import { OrderFilters } from '../../commerce/orders/contract.ts';
import { ProductFilters } from '../../commerce/products/contract.ts';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { Id, IdParams, Nullable, OneOf, Trimmed } from '../../lib/schemas.ts';
import { ContactFilters } from '../../marketing/contacts/contract.ts';
import { MAX_TAG_LENGTH } from '../../marketing/contacts/limits.ts';

export const ACTIONS = [
  'ship_orders',
  'archive_products',
  'restore_products',
  'tag_contacts',
  'untag_contacts',
  'undo_tagging',
] as const;
export type ActionName = (typeof ACTIONS)[number];
export const BULK_STATUSES = ['running', 'done', 'cancelled'] as const;

export const BulkAction = Type.Object({
  id: Id,
  action: OneOf(ACTIONS),
  status: OneOf(BULK_STATUSES),
  total: Type.Integer({ description: 'How many matched when it began' }),
  changed: Type.Integer(),
  refused: Type.Integer(),
  refusals: Type.Array(Type.Object({ id: Id, message: Type.String() }), {
    description: 'The first 100 that were refused, and why',
  }),
  created_at: Type.String({ format: 'date-time' }),
  finished_at: Nullable(Type.String({ format: 'date-time' })),
});
export type BulkAction = Static<typeof BulkAction>;

const tag = 'Bulk actions';

const start = {
  method: 'POST',
  tag,
  data: BulkAction,
  status: 201,
} as const;

const DESCRIPTION =
  'Runs in the background and changes each record separately. Records that cannot be changed are reported and left unchanged, and so are records that match later. A company can have at most three in progress.';

export const shipOrders = {
  ...start,
  path: '/orders/ship-all',
  scope: 'orders:write',
  summary: 'Mark all orders that match as shipped',
  description: `Ships the matching orders that can be shipped. ${DESCRIPTION}`,
  body: Type.Object({ filters: OrderFilters }),
} as const satisfies Endpoint;

export const archiveProducts = {
  ...start,
  path: '/products/archive-all',
  scope: 'products:write',
  summary: 'Archive all products that match',
  description: DESCRIPTION,
  body: Type.Object({ filters: ProductFilters }),
} as const satisfies Endpoint;

export const restoreProducts = {
  ...start,
  path: '/products/restore-all',
  scope: 'products:write',
  summary: 'Restore all archived products that match',
  description: DESCRIPTION,
  body: Type.Object({ filters: ProductFilters }),
} as const satisfies Endpoint;

const Tagging = Type.Object({
  filters: ContactFilters,
  tag: Trimmed({ minLength: 1, maxLength: MAX_TAG_LENGTH }),
});

export const tagContacts = {
  ...start,
  path: '/contacts/tag-all',
  scope: 'marketing:write',
  summary: 'Add a tag to all contacts that match',
  description: `Of those that match, the ones without the tag. ${DESCRIPTION}`,
  body: Tagging,
} as const satisfies Endpoint;

export const untagContacts = {
  ...start,
  path: '/contacts/untag-all',
  scope: 'marketing:write',
  summary: 'Take a tag away from all contacts that match',
  description: `Of those that match, the ones with the tag. ${DESCRIPTION}`,
  body: Tagging,
} as const satisfies Endpoint;

export const getBulkAction = {
  method: 'GET',
  path: '/bulk-actions/{id}',
  scope: 'orders:read',
  tag,
  summary: 'Read how far a bulk action is',
  params: IdParams,
  data: BulkAction,
  status: 200,
} as const satisfies Endpoint;

export const cancelBulkAction = {
  method: 'POST',
  path: '/bulk-actions/{id}/cancel',
  scope: 'orders:write',
  tag,
  summary: 'Stop a bulk action',
  description: 'Changes that were made are kept. Has no effect on completed actions.',
  params: IdParams,
  data: BulkAction,
  status: 200,
} as const satisfies Endpoint;

/** The actions that can be undone. */
export const TAGGING: readonly ActionName[] = ['tag_contacts', 'untag_contacts'];
export const CONTACT_ACTIONS: readonly ActionName[] = [...TAGGING, 'undo_tagging'];

export const cancelTagging = {
  ...cancelBulkAction,
  path: '/bulk-actions/{id}/cancel-tagging',
  scope: 'marketing:write',
  summary: 'Stop a bulk action on contacts',
} as const satisfies Endpoint;

export const undoTagging = {
  ...start,
  path: '/bulk-actions/{id}/undo',
  scope: 'marketing:write',
  summary: 'Take a bulk action on tags back',
  description:
    'Reverts the contacts that the action changed and that have not been changed since. Starts another bulk action. Possible once, within 7 days, for actions on at most a million contacts.',
  params: IdParams,
} as const satisfies Endpoint;

export const bulkEndpoints: readonly Endpoint[] = [
  shipOrders,
  archiveProducts,
  restoreProducts,
  tagContacts,
  untagContacts,
  getBulkAction,
  cancelBulkAction,
  cancelTagging,
  undoTagging,
];
