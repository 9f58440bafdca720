import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { Id, IdParams, Nullable, pageQuery, Trimmed } from '../../lib/schemas.ts';

export const List = Type.Object({
  list_id: Id,
  name: Type.String(),
  description: Type.String(),
  double_opt_in: Type.Boolean(),
  internal: Type.Boolean(),
  counts: Type.Object({ active: Type.Integer(), pending: Type.Integer(), unsubscribed: Type.Integer() }),
  created_at: Type.String({ description: 'YYYY-MM-DD HH:MM:SS, UTC' }),
  updated_at: Type.String({ description: 'YYYY-MM-DD HH:MM:SS, UTC' }),
});
export type List = Static<typeof List>;

const Name = Trimmed({ minLength: 1, maxLength: 255 });
const optional = {
  description: Type.Optional(Nullable(Trimmed({ maxLength: 2000 }))),
  double_opt_in: Type.Optional(Type.Boolean({ description: 'New members are pending until they confirm by e-mail' })),
  internal: Type.Optional(
    Type.Boolean({
      description: 'Contacts neither see the list on their preference page nor leave or join it there; false if absent',
    }),
  ),
};
export const ListInput = Type.Object({ name: Name, ...optional });
export type ListInput = Static<typeof ListInput>;
export const ListPatch = Type.Object({ name: Type.Optional(Name), ...optional });
export type ListPatch = Static<typeof ListPatch>;

export const ListQuery = Type.Object(pageQuery(20));

export const listLists = {
  method: 'GET',
  path: '/lists',
  scope: 'marketing:read',
  tag: 'Lists',
  summary: 'List the lists',
  description: 'Newest first, with how many contacts each has.',
  query: ListQuery,
  inOrderOf: { by: 'list_id' },
  data: Type.Array(List),
  listAs: 'lists',
  status: 200,
} as const satisfies Endpoint;

export const createList = {
  method: 'POST',
  path: '/lists',
  scope: 'marketing:write',
  tag: 'Lists',
  summary: 'Create a list',
  body: ListInput,
  data: List,
  status: 201,
} as const satisfies Endpoint;

export const getList = {
  method: 'GET',
  path: '/lists/{id}',
  scope: 'marketing:read',
  tag: 'Lists',
  summary: 'Read a list',
  params: IdParams,
  data: List,
  status: 200,
} as const satisfies Endpoint;

export const updateList = {
  method: 'PATCH',
  path: '/lists/{id}',
  scope: 'marketing:write',
  tag: 'Lists',
  summary: 'Change a list',
  description: 'A change of `double_opt_in` applies to members added afterwards.',
  params: IdParams,
  body: ListPatch,
  data: List,
  status: 200,
} as const satisfies Endpoint;

export const deleteList = {
  method: 'DELETE',
  path: '/lists/{id}',
  scope: 'marketing:write',
  tag: 'Lists',
  summary: 'Delete a list',
  description: 'Its contacts stay.',
  params: IdParams,
  data: Type.Object({ list_id: Id, deleted: Type.Boolean() }),
  status: 200,
} as const satisfies Endpoint;

export const MAX_MEMBERS = 1_000;
const members = {
  contact_ids: Type.Optional(Type.Array(Id, { maxItems: MAX_MEMBERS })),
  emails: Type.Optional(Type.Array(Trimmed({ minLength: 1, maxLength: 254 }), { maxItems: MAX_MEMBERS })),
};
export const MembersRemoved = Type.Object(members);
export type MembersRemoved = Static<typeof MembersRemoved>;
export const MembersAdded = Type.Object({
  ...members,
  consent: Type.Optional(
    Type.Object(
      {
        source: Type.Optional(Trimmed({ minLength: 1, maxLength: 255 })),
        ip: Type.Optional(Trimmed({ minLength: 2, maxLength: 45 })),
        at: Type.Optional(Type.String({ maxLength: 40, description: 'YYYY-MM-DD HH:MM:SS, UTC, or ISO 8601' })),
      },
      { description: 'How and when they agreed; kept with the membership' },
    ),
  ),
});
export type MembersAdded = Static<typeof MembersAdded>;

const NotFound = Type.Object({ contact_ids: Type.Array(Id), emails: Type.Array(Type.String()) });
const membersNote = 'Contacts by `contact_ids`, `emails` or both, 1,000 at most; those that do not exist are named.';

export const addMembers = {
  method: 'POST',
  path: '/lists/{id}/contacts',
  scope: 'marketing:write',
  tag: 'Lists',
  summary: 'Put contacts on a list',
  description: `${membersNote} On a list with double opt-in they are pending until they confirm; who had left the list is asked again there, and stays away from any other.`,
  params: IdParams,
  body: MembersAdded,
  data: Type.Object({ list_id: Id, added: Type.Integer(), unchanged: Type.Integer(), not_found: NotFound }),
  status: 200,
} as const satisfies Endpoint;

export const removeMembers = {
  method: 'POST',
  path: '/lists/{id}/contacts/remove',
  scope: 'marketing:write',
  tag: 'Lists',
  summary: 'Take contacts off a list',
  description: `${membersNote} Who left the list by themselves stays noted as such.`,
  params: IdParams,
  body: MembersRemoved,
  data: Type.Object({ list_id: Id, removed: Type.Integer(), unchanged: Type.Integer(), not_found: NotFound }),
  status: 200,
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const listEndpoints: readonly Endpoint[] = [
  listLists,
  createList,
  getList,
  updateList,
  deleteList,
  addMembers,
  removeMembers,
];
