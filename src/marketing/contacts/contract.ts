import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { Id, IdParams, OneOf, pageQuery } from '../../lib/schemas.ts';
import { sortNames } from '../../lib/sorting.ts';
import { MEMBERSHIP_STATUSES } from '../../recipients/consent.ts';
import { getConsentHistory, resubscribeContact, unsubscribeContact } from './consent/contract.ts';
import { Contact, ContactInput, UpsertedContact } from './contact-schema.ts';
import { exportContact } from './export/contract.ts';
import { MAX_TAG_LENGTH } from './limits.ts';
import { mergeContact } from './merge/contract.ts';
import { CONTACT_STATUSES } from './status.ts';
import { getTimeline } from './timeline/contract.ts';

export const upsertContact = {
  method: 'POST',
  path: '/contacts',
  scope: 'marketing:write',
  tag: 'Contacts',
  summary: 'Create or update a contact',
  description:
    'Found by external_id, then email, then phone; one of them is required. Absent fields stay as they are, null clears; `properties` are merged one level deep (null removes a key), `tags` are added, then `remove_tags` taken away. Where the keys belong to several contacts, the first found wins; the others become part of it if they have no external_id, otherwise 400 `contact_conflict`; of their runs through one flow, which allows one at a time, the first goes on and the others exit with the reason `merged`, and of messages of one campaign that wait all but one are skipped for it. 201 for a new contact, 200 for one that was there.',
  body: ContactInput,
  data: UpsertedContact,
  status: 201,
  alsoStatus: 200,
} as const satisfies Endpoint;

export const UpsertResults = Type.Object({
  created: Type.Integer(),
  updated: Type.Integer(),
  rejected: Type.Integer(),
  results: Type.Array(
    Type.Object({
      index: Type.Integer(),
      contact_id: Type.Optional(Id),
      created: Type.Optional(Type.Boolean()),
      error: Type.Optional(Type.String()),
      details: Type.Optional(Type.Array(Type.Object({ field: Type.String(), message: Type.String() }))),
    }),
  ),
});
export type UpsertResults = Static<typeof UpsertResults>;

const MAX_BATCH = 500;

export const upsertContacts = {
  method: 'POST',
  path: '/contacts/batch',
  scope: 'marketing:write',
  tag: 'Contacts',
  summary: 'Create or update up to 500 contacts',
  description:
    'Processes each contact like `POST /contacts`, in the given order, independently of the others. The results are in the same order, each with `contact_id` and `created`, or with `error` and `details`.',
  body: Type.Object({
    contacts: Type.Array(Type.Unsafe<unknown>({}), {
      minItems: 1,
      maxItems: MAX_BATCH,
      description: 'Bodies of `POST /contacts`, each checked alone',
    }),
  }),
  data: UpsertResults,
  status: 200,
} as const satisfies Endpoint;

const filters = {
  status: Type.Optional(OneOf(CONTACT_STATUSES)),
  list_id: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
  list_status: Type.Optional(OneOf(MEMBERSHIP_STATUSES, { description: 'With list_id; default active and pending' })),
  search: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'Part of "first last" or of the e-mail, without regard to case and accents',
    }),
  ),
  tag: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_TAG_LENGTH })),
  segment_id: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
};
export const ContactFilters = Type.Object(filters);
export type ContactFilters = Static<typeof ContactFilters>;

export const ContactQuery = Type.Object({
  ...filters,
  sort: Type.Optional(
    OneOf(sortNames('email', 'last_activity'), {
      description:
        'Sort order; default newest first. Contacts without an e-mail address come last with `email_asc` and first with `email_desc`, those without activity last with `last_activity_desc`. Not with `search`',
    }),
  ),
  ...pageQuery(20),
});
export type ContactQuery = Static<typeof ContactQuery>;

export const listContacts = {
  method: 'GET',
  path: '/contacts',
  scope: 'marketing:read',
  tag: 'Contacts',
  summary: 'List contacts',
  description:
    'Newest first unless `sort` is set; filters combine. Totals are exact, except for a `search` among more than 50,000 contacts with more than 1,000 results: then `total` is a lower bound, and `pagination` has `total_exact: false`.',
  query: ContactQuery,
  inOrderOf: { behind: true },
  data: Type.Array(Contact),
  listAs: 'contacts',
  status: 200,
} as const satisfies Endpoint;

export const getContact = {
  method: 'GET',
  path: '/contacts/{id}',
  scope: 'marketing:read',
  tag: 'Contacts',
  summary: 'Read a contact',
  params: IdParams,
  data: Contact,
  status: 200,
} as const satisfies Endpoint;

export const updateContact = {
  method: 'PATCH',
  path: '/contacts/{id}',
  scope: 'marketing:write',
  tag: 'Contacts',
  summary: 'Change a contact',
  description:
    'As `POST /contacts`, for the contact with this id; a key that belongs to another contact is refused (`contact_conflict`), and so is `status: "subscribed"` for one who is not.',
  params: IdParams,
  body: ContactInput,
  data: Contact,
  status: 200,
} as const satisfies Endpoint;

export const deleteContact = {
  method: 'DELETE',
  path: '/contacts/{id}',
  scope: 'marketing:write',
  confirm: true,
  tag: 'Contacts',
  summary: 'Erase a contact',
  description:
    'Removes all personal data; events and messages stay in counts, without personal data. If the contact had unsubscribed or bounced, a keyed hash of the address is kept, so that a later import cannot resubscribe it.',
  params: IdParams,
  data: Type.Object({ contact_id: Id, deleted: Type.Boolean() }),
  status: 200,
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const contactsEndpoints: readonly Endpoint[] = [
  upsertContact,
  upsertContacts,
  listContacts,
  getContact,
  updateContact,
  deleteContact,
  mergeContact,
  getTimeline,
  getConsentHistory,
  exportContact,
  unsubscribeContact,
  resubscribeContact,
];
