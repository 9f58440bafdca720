import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { Id, IdParams, Nullable, pageQuery, Trimmed } from '../../lib/schemas.ts';

export const Note = Type.Object({
  id: Id,
  customer_id: Id,
  order_id: Nullable(Id),
  text: Type.String(),
  actor: Type.String({ description: 'Who wrote it: `admin:7`, `key:till`' }),
  actor_name: Nullable(Type.String({ description: "The person's name at that time" })),
  created_at: Type.String({ format: 'date-time' }),
});
export type Note = Static<typeof Note>;

export const NoteInput = Type.Object({
  text: Trimmed({ minLength: 1, maxLength: 5_000, description: 'Plain text; line breaks are kept' }),
});
export type NoteInput = Static<typeof NoteInput>;

const tag = 'Notes';
const page = Type.Object(pageQuery(25));

export const listCustomerNotes = {
  method: 'GET',
  path: '/customers/{id}/notes',
  scope: 'customers:read',
  tag,
  summary: 'List the notes about a customer',
  description: "Newest first, with those about the customer's orders.",
  params: IdParams,
  query: page,
  inOrderOf: { by: 'id' },
  data: Type.Array(Note),
  status: 200,
} as const satisfies Endpoint;

export const createCustomerNote = {
  method: 'POST',
  path: '/customers/{id}/notes',
  scope: 'customers:write',
  tag,
  summary: 'Write a note about a customer',
  description:
    'For the people of the shop: no message shows it. It is erased with the customer and part of their export.',
  params: IdParams,
  body: NoteInput,
  data: Note,
  status: 201,
} as const satisfies Endpoint;

export const deleteCustomerNote = {
  method: 'DELETE',
  path: '/customer-notes/{id}',
  scope: 'customers:write',
  tag,
  summary: 'Delete a note about a customer',
  description: 'Returns the note as it was.',
  params: IdParams,
  data: Note,
  status: 200,
} as const satisfies Endpoint;

export const listOrderNotes = {
  method: 'GET',
  path: '/orders/{id}/notes',
  scope: 'orders:read',
  tag,
  summary: 'List the notes about an order',
  description: 'Newest first.',
  params: IdParams,
  query: page,
  inOrderOf: { by: 'id' },
  data: Type.Array(Note),
  status: 200,
} as const satisfies Endpoint;

export const createOrderNote = {
  method: 'POST',
  path: '/orders/{id}/notes',
  scope: 'orders:write',
  tag,
  summary: 'Write a note about an order',
  description: "For the people of the shop. It is erased with the order's customer and part of their export.",
  params: IdParams,
  body: NoteInput,
  data: Note,
  status: 201,
} as const satisfies Endpoint;

export const deleteOrderNote = {
  method: 'DELETE',
  path: '/order-notes/{id}',
  scope: 'orders:write',
  tag,
  summary: 'Delete a note about an order',
  description: 'Returns the note as it was.',
  params: IdParams,
  data: Note,
  status: 200,
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const noteEndpoints: readonly Endpoint[] = [
  listCustomerNotes,
  createCustomerNote,
  deleteCustomerNote,
  listOrderNotes,
  createOrderNote,
  deleteOrderNote,
];
