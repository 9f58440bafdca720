import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { Id, IdParams, Trimmed } from '../../lib/schemas.ts';

/** The lists that can have views. */
const ListName = Type.String({
  minLength: 1,
  maxLength: 50,
  pattern: '^[a-z][a-z-]*$',
  description: "The list's name in the address, such as orders",
});

const SavedView = Type.Object({ id: Id, list: ListName, name: Type.String(), search: Type.String() });
export type SavedView = Static<typeof SavedView>;

const SavedViewInput = Type.Object({
  list: ListName,
  name: Trimmed({ minLength: 1, maxLength: 100 }),
  search: Type.String({
    maxLength: 2_000,
    description: "The search part of the page's address, such as status=pending",
  }),
});
export type SavedViewInput = Static<typeof SavedViewInput>;

// Concerns the person alone: every role has this scope.
const own = { scope: 'products:read', tag: 'Saved views', status: 200 } as const;

export const listViews = {
  ...own,
  method: 'GET',
  path: '/views',
  summary: "List one's own views of a list",
  description: 'Sorted by name. The operator has no account and no views.',
  query: Type.Object({ list: ListName }),
  data: Type.Object({ views: Type.Array(SavedView) }),
} as const satisfies Endpoint;

export const saveView = {
  ...own,
  method: 'POST',
  path: '/views',
  unaudited: 'concerns the person alone',
  summary: 'Save a view under a name',
  description: 'A view of that name is replaced. At most 50 of a list.',
  body: SavedViewInput,
  data: SavedView,
} as const satisfies Endpoint;

export const deleteView = {
  ...own,
  method: 'DELETE',
  path: '/views/{id}',
  unaudited: 'concerns the person alone',
  summary: 'Delete a view',
  description: 'Returns the view as it was.',
  params: IdParams,
  data: SavedView,
} as const satisfies Endpoint;

export const viewEndpoints: readonly Endpoint[] = [listViews, saveView, deleteView];
