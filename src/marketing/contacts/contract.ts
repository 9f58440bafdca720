import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { FreeForm, Id, IdParams, Nullable, OneOf, pageQuery, Trimmed } from '../../lib/schemas.ts';
import { MEMBERSHIP_STATUSES } from '../lists/membership.ts';
import { FREQUENCIES } from './consent/preferences.ts';
import { CHANNELS, CONSENT_SOURCES, CONSENT_STATES } from './consent/states.ts';
import { MAX_TAGS } from './contact.ts';
import { CONTACT_STATUSES } from './status.ts';
import { MAX_LENGTH, MAX_TAG_LENGTH } from './upsert/normalise.ts';

const Timestamp = Type.String({ description: 'YYYY-MM-DD HH:MM:SS, UTC' });
const NullableText = Nullable(Type.String());

const ConsentState = Type.Object({
  state: OneOf(CONSENT_STATES),
  since: Timestamp,
  source: Type.String({ description: `${CONSENT_SOURCES.join(', ')}, or person: and who it was` }),
});

const contactProperties = {
  contact_id: Id,
  email: NullableText,
  first_name: NullableText,
  last_name: NullableText,
  phone: Nullable(Type.String({ description: 'E.164 where the number could be read, otherwise as it was given' })),
  external_id: NullableText,
  source: NullableText,
  tags: Type.Array(Type.String()),
  properties: FreeForm,
  status: OneOf(CONTACT_STATUSES, {
    description:
      'Derived from the consent to e-mail, of a contact with a phone number alone from that to SMS; `never` shows as unsubscribed',
  }),
  consent: Type.Object({ email: ConsentState, sms: ConsentState }),
  preferences: Type.Object(
    { frequency: OneOf(FREQUENCIES), paused_until: Nullable(Timestamp) },
    { description: 'How much marketing the contact wants; see the preference page' },
  ),
  lists: Type.Array(Type.Object({ list_id: Id, status: OneOf(MEMBERSHIP_STATUSES) })),
  created_at: Timestamp,
  updated_at: Timestamp,
};
export const Contact = Type.Object(contactProperties);
export const UpsertedContact = Type.Object({ ...contactProperties, created: Type.Boolean() });
export type UpsertedContact = Static<typeof UpsertedContact>;

const text = (maxLength: number, minLength = 0) => Type.Optional(Nullable(Trimmed({ minLength, maxLength })));
const Tags = Type.Array(Trimmed({ minLength: 1, maxLength: MAX_TAG_LENGTH }), { maxItems: MAX_TAGS });

const GivenConsent = Type.Union([
  OneOf(CONSENT_STATES),
  Type.Object({
    state: OneOf(CONSENT_STATES),
    text: Type.Optional(Trimmed({ maxLength: 2_000, description: 'What was agreed to' })),
    ip: Type.Optional(Trimmed({ maxLength: 45 })),
    user_agent: Type.Optional(Trimmed({ maxLength: 500 })),
  }),
]);

export const ContactInput = Type.Object({
  email: text(MAX_LENGTH.email),
  first_name: text(MAX_LENGTH.first_name),
  last_name: text(MAX_LENGTH.last_name),
  phone: text(MAX_LENGTH.phone, 1),
  external_id: text(MAX_LENGTH.external_id, 1),
  source: text(MAX_LENGTH.source),
  tags: Type.Optional(Nullable(Tags)),
  tags_mode: Type.Optional(
    OneOf(['add', 'replace'], { description: '`replace`: `tags` are all that the contact has; `add` where absent' }),
  ),
  remove_tags: Type.Optional(Tags),
  properties: Type.Optional(Nullable(FreeForm)),
  status: Type.Optional(
    OneOf(CONTACT_STATUSES, {
      description:
        'unsubscribed and bounced are stored, bounced with the e-mail address; subscribed never brings anybody back',
    }),
  ),
  consent: Type.Optional(
    Type.Object(
      { email: Type.Optional(GivenConsent), sms: Type.Optional(GivenConsent) },
      {
        description:
          'By channel: subscribed, unsubscribed or never, or an object with that `state` and what it rests on. A new contact without it is subscribed to e-mail and never to SMS. A yes never takes back an unsubscription.',
      },
    ),
  ),
  preferences: Type.Optional(
    Type.Object(
      {
        frequency: Type.Optional(
          OneOf(FREQUENCIES, {
            description: 'less_often: marketing once in `less_often_days` of the sending settings at most',
          }),
        ),
        paused_until: Type.Optional(
          Nullable(
            Type.String({ maxLength: 40, description: 'No marketing before: YYYY-MM-DD HH:MM:SS, UTC, or ISO 8601' }),
          ),
        ),
      },
      { description: 'What the contact chose elsewhere; what is absent stays' },
    ),
  ),
  list_ids: Type.Optional(Type.Array(Id, { maxItems: 100, description: 'Lists to put the contact on' })),
});
export type ContactInput = Static<typeof ContactInput>;

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

export const MAX_BATCH = 500;

export const upsertContacts = {
  method: 'POST',
  path: '/contacts/batch',
  scope: 'marketing:write',
  tag: 'Contacts',
  summary: 'Create or update up to 500 contacts',
  description:
    'Each as by `POST /contacts`, in the given order; one that is refused leaves the others. The results stand in the order of the contacts, each with `contact_id` and `created`, or with `error` and `details`.',
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

export const ContactQuery = Type.Object({
  status: Type.Optional(OneOf(CONTACT_STATUSES)),
  list_id: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
  list_status: Type.Optional(
    OneOf(MEMBERSHIP_STATUSES, { description: 'With list_id; without it those who are active or pending' }),
  ),
  search: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'Part of "first last" or of the e-mail, without regard to case and accents',
    }),
  ),
  tag: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_TAG_LENGTH })),
  segment_id: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
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
    'Newest first; filters combine. Totals are exact, but for a `search` among more than 50,000 contacts that finds more than 1,000: then `total` is how many there are at least, and `pagination` has `total_exact: false`.',
  query: ContactQuery,
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
  tag: 'Contacts',
  summary: 'Erase a contact',
  description:
    'Everything personal is gone, everywhere; what is counted (events, messages) stays without a name. Of one who had unsubscribed or bounced a keyed hash of the address stays, too: whoever imports them again cannot write to them before they have come back.',
  params: IdParams,
  data: Type.Object({ contact_id: Id, deleted: Type.Boolean() }),
  status: 200,
} as const satisfies Endpoint;

const ListIds = Type.Optional(Type.Array(Id, { minItems: 1, maxItems: 100 }));
const Channels = Type.Optional(Type.Array(OneOf(CHANNELS), { minItems: 1, maxItems: 2 }));
const Reason = Type.Optional(Trimmed({ maxLength: 2_000, description: 'Stored with the consent' }));
export const StandingInput = Type.Object({ list_ids: ListIds, channels: Channels, reason: Reason });
export type StandingInput = Static<typeof StandingInput>;

export const unsubscribeContact = {
  method: 'POST',
  path: '/contacts/unsubscribe/{id}',
  scope: 'marketing:write',
  tag: 'Contacts',
  summary: 'Unsubscribe a contact',
  description:
    'From everything, with `channels` from e-mail or SMS alone, with `list_ids` from these lists alone. The addresses are suppressed: whoever has one of them later stays unsubscribed.',
  params: IdParams,
  body: StandingInput,
  bodyOptional: true,
  data: Contact,
  status: 200,
} as const satisfies Endpoint;

export const resubscribeContact = {
  method: 'POST',
  path: '/contacts/resubscribe/{id}',
  scope: 'marketing:write',
  tag: 'Contacts',
  summary: 'Take an unsubscribed or bounced contact back',
  description:
    'Only with their consent. Of e-mail, or of SMS where the contact has no e-mail address; other channels are named in `channels`. Lifts what suppresses their addresses after an unsubscription, a bounce or a complaint. With `list_ids` they are active again on these lists too, if they had left them.',
  params: IdParams,
  body: StandingInput,
  bodyOptional: true,
  data: Contact,
  status: 200,
} as const satisfies Endpoint;

const Entry = Type.Object({
  type: OneOf(['event', 'message', 'status_changed', 'list_changed', 'merged', 'preferences_changed']),
  at: Timestamp,
  data: FreeForm,
});

export const TimelineQuery = Type.Object({
  cursor: Type.Optional(Type.String({ maxLength: 50 })),
  per_page: Type.Optional(Type.Integer({ minimum: 1, default: 20, 'x-cap': 100 })),
});
export type TimelineQuery = Static<typeof TimelineQuery>;

export const Timeline = Type.Object({ timeline: Type.Array(Entry), next_cursor: NullableText });
export type Timeline = Static<typeof Timeline>;

export const getTimeline = {
  method: 'GET',
  path: '/contacts/{id}/timeline',
  scope: 'marketing:read',
  tag: 'Contacts',
  summary: 'What a contact did and got, and what happened to it',
  description:
    'The last first: events, messages with what became of them, changes of status and lists. `next_cursor` leads to the next page.',
  params: IdParams,
  query: TimelineQuery,
  data: Timeline,
  status: 200,
} as const satisfies Endpoint;

const ConsentHistoryEntry = Type.Object({
  channel: OneOf(CHANNELS),
  state: OneOf(CONSENT_STATES),
  since: Timestamp,
  source: Type.String(),
  address: Nullable(Type.String({ description: 'That it was about' })),
  text: Nullable(Type.String({ description: 'What was agreed to, or why' })),
  ip: NullableText,
  user_agent: NullableText,
});
export const ConsentHistory = Type.Object({ contact_id: Id, consents: Type.Array(ConsentHistoryEntry) });
export type ConsentHistory = Static<typeof ConsentHistory>;

export const getConsentHistory = {
  method: 'GET',
  path: '/contacts/{id}/consents',
  scope: 'marketing:read',
  tag: 'Contacts',
  summary: 'Read the consents of a contact',
  description: 'Every consent that it gave or took back, by channel, the oldest first.',
  params: IdParams,
  data: ConsentHistory,
  status: 200,
} as const satisfies Endpoint;

export const ContactExport = Type.Object({
  contact: Contact,
  consents: Type.Array(ConsentHistoryEntry),
  memberships: Type.Array(FreeForm),
  events: Type.Array(FreeForm),
  messages: Type.Array(FreeForm),
  activity: Type.Array(Entry),
  flow_runs: Type.Array(FreeForm, { description: 'With what began them, what they keep and what they did' }),
  notifications: Type.Array(FreeForm, { description: 'What flows told the people of the shop about the contact' }),
  mails: Type.Array(FreeForm, { description: 'As far as the built-in mailbox still has them' }),
  form_submissions: Type.Array(FreeForm, { description: 'What they sent by signup forms, with what they agreed to' }),
});
export type ContactExport = Static<typeof ContactExport>;

export const exportContact = {
  method: 'GET',
  path: '/contacts/{id}/export',
  scope: 'marketing:read',
  tag: 'Contacts',
  summary: 'Everything that is stored about a contact',
  description: 'Streamed. Two exports of a company run at a time; a further one is refused with 429 and Retry-After.',
  streams: true,
  params: IdParams,
  data: ContactExport,
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
  getTimeline,
  getConsentHistory,
  exportContact,
  unsubscribeContact,
  resubscribeContact,
];
