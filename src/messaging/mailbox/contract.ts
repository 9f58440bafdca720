import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { FreeForm, Id, IdParams, Nullable, OneOf, pageQuery, Trimmed } from '../../lib/schemas.ts';

const CHANNELS = ['email', 'sms'] as const;
const Timestamp = Type.String({ description: 'YYYY-MM-DD HH:MM:SS, UTC' });

const entry = {
  id: Id,
  channel: OneOf(CHANNELS),
  contact_id: Nullable(Id),
  from: Type.String(),
  to: Type.String(),
  subject: Nullable(Type.String()),
  message_id: Nullable(Type.String({ description: 'The Message-ID header' })),
  created_at: Timestamp,
};
export const MailboxEntry = Type.Object({
  ...entry,
  excerpt: Nullable(Type.String({ description: 'The preview text, or the text of an SMS' })),
});
export const MailboxMessage = Type.Object({
  ...entry,
  preview_text: Nullable(Type.String()),
  text: Type.String(),
  html: Nullable(Type.String()),
  headers: FreeForm,
});

export const MailboxQuery = Type.Object({
  to: Type.Optional(Trimmed({ minLength: 1, maxLength: 254, description: 'The whole address or number' })),
  ...pageQuery(20),
});
export type MailboxQuery = Static<typeof MailboxQuery>;

export const listMailbox = {
  method: 'GET',
  path: '/mailbox',
  scope: 'marketing:read',
  tag: 'Mailbox',
  summary: 'List the messages in the built-in mailbox',
  description: 'Where no SMTP server or SMS provider is set, messages stay here. Newest first.',
  query: MailboxQuery,
  inOrderOf: { by: 'id' },
  data: Type.Array(MailboxEntry),
  listAs: 'messages',
  status: 200,
} as const satisfies Endpoint;

export const getLatestMailboxMessage = {
  method: 'GET',
  path: '/mailbox/latest',
  scope: 'marketing:read',
  tag: 'Mailbox',
  summary: 'Read the newest message in the mailbox',
  description: 'Of all, or of those `to` one address. `html` is as it was sent: show it in a sandbox only.',
  query: Type.Object({ to: MailboxQuery.properties.to }),
  data: MailboxMessage,
  status: 200,
  mayFindNothing: true,
} as const satisfies Endpoint;

export const getMailboxMessage = {
  method: 'GET',
  path: '/mailbox/{id}',
  scope: 'marketing:read',
  tag: 'Mailbox',
  summary: 'Read a message in the mailbox',
  description: '`html` is as it was sent: show it in a sandbox only.',
  params: IdParams,
  data: MailboxMessage,
  status: 200,
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const mailboxEndpoints: readonly Endpoint[] = [listMailbox, getLatestMailboxMessage, getMailboxMessage];
