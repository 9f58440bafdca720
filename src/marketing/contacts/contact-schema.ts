import Type, { type Static } from 'typebox';
import { FreeForm, Id, Nullable, OneOf, Trimmed } from '../../lib/schemas.ts';
import { CONSENT_SOURCES, CONSENT_STATES, MEMBERSHIP_STATUSES } from '../../recipients/consent.ts';
import { FREQUENCIES } from '../../recipients/preferences.ts';
import { MAX_LENGTH, MAX_TAG_LENGTH, MAX_TAGS } from './limits.ts';
import { CONTACT_STATUSES } from './status.ts';

export const Timestamp = Type.String({ description: 'YYYY-MM-DD HH:MM:SS, UTC' });
export const NullableText = Nullable(Type.String());

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
  time_zone: Type.Optional(
    Nullable(
      Type.String({
        description:
          'The IANA name of the property `timezone`, otherwise the zone of the address (of the customer, or the properties `country` and `state`) where it has one; null: unknown, and the company’s is used. Absent in responses of `POST` and `PATCH /contacts`',
      }),
    ),
  ),
  last_activity_at: Type.Optional(
    Nullable(
      Type.String({
        description:
          'YYYY-MM-DD HH:MM:SS, UTC. When the contact did something last: the last event, those of flows left out; a minute late at most. In responses of `GET /contacts` and `GET /contacts/{id}`',
      }),
    ),
  ),
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
    text: Type.Optional(Trimmed({ maxLength: 2_000, description: 'The consent text' })),
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
        'unsubscribed and bounced are stored, bounced with the e-mail address; subscribed never reverts an unsubscription',
    }),
  ),
  consent: Type.Optional(
    Type.Object(
      { email: Type.Optional(GivenConsent), sms: Type.Optional(GivenConsent) },
      {
        description:
          'By channel: subscribed, unsubscribed or never, or an object with that `state` and its evidence. Default for new contacts: e-mail subscribed, SMS never. Never reverts an unsubscription.',
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
      { description: 'Choices that the contact made elsewhere; absent fields do not change' },
    ),
  ),
  list_ids: Type.Optional(Type.Array(Id, { maxItems: 100, description: 'Lists to put the contact on' })),
});
export type ContactInput = Static<typeof ContactInput>;
