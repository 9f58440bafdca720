import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../../http/api/endpoint.ts';
import { Id, IdParams, Nullable, OneOf, Trimmed } from '../../../lib/schemas.ts';
import { CHANNELS, CONSENT_STATES } from '../../../recipients/consent.ts';
import { Contact, NullableText, Timestamp } from '../contact-schema.ts';

const ListIds = Type.Optional(Type.Array(Id, { minItems: 1, maxItems: 100 }));
const Channels = Type.Optional(Type.Array(OneOf(CHANNELS), { minItems: 1, maxItems: 2 }));
const Reason = Type.Optional(Trimmed({ maxLength: 2_000, description: 'Stored with the consent' }));
export const SubscriptionInput = Type.Object({ list_ids: ListIds, channels: Channels, reason: Reason });
export type SubscriptionInput = Static<typeof SubscriptionInput>;

export const unsubscribeContact = {
  method: 'POST',
  path: '/contacts/unsubscribe/{id}',
  scope: 'marketing:write',
  tag: 'Contacts',
  summary: 'Unsubscribe a contact',
  description:
    'Unsubscribes from everything; with `channels` only from e-mail or SMS, with `list_ids` only from these lists. Suppresses the addresses, also for contacts who get one of them later.',
  params: IdParams,
  body: SubscriptionInput,
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
  body: SubscriptionInput,
  bodyOptional: true,
  data: Contact,
  status: 200,
} as const satisfies Endpoint;

export const ConsentHistoryEntry = Type.Object({
  channel: OneOf(CHANNELS),
  state: OneOf(CONSENT_STATES),
  since: Timestamp,
  source: Type.String(),
  address: Nullable(Type.String({ description: 'That it was about' })),
  text: Nullable(Type.String({ description: 'The consent text, or the reason' })),
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
