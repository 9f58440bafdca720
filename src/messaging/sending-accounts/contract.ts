import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { Id, IdParams, Nullable, OneOf, pageQuery, Trimmed } from '../../lib/schemas.ts';
import { MAX_CONNECTIONS, MAX_RATE } from '../send/transports/parameters.ts';
import { PROVIDERS, type ProviderSettings } from './accounts.ts';

const Moment = Type.String({ description: 'YYYY-MM-DD HH:MM:SS, UTC' });
const Secret = (description: string) => Type.String({ minLength: 8, maxLength: 500, pattern: '^[!-~]+$', description });
const ApiUrl = Nullable(
  Trimmed({ minLength: 8, maxLength: 300, description: 'Where its API is, if not at the service itself: https://…' }),
);

const fields = {
  smtp: {
    host: Trimmed({ minLength: 1, maxLength: 253 }),
    port: Type.Integer({
      minimum: 1,
      maximum: 65_535,
      description: '25, 465, 587, 2465, 2525 or 2587; 587 by default',
    }),
    username: Type.String({ minLength: 1, maxLength: 250 }),
    security: OneOf(['tls', 'starttls', 'none'] as const, {
      description:
        'tls: from the first byte (port 465). starttls: required (port 587), the default. none: only where the operator allows private addresses',
    }),
  },
  ses: {
    region: Type.String({ pattern: '^[a-z]{2}(-[a-z]+)+-[0-9]$', maxLength: 30, description: 'eu-central-1' }),
    access_key: Type.String({ pattern: '^[A-Za-z0-9]{16,128}$', maxLength: 128 }),
    configuration_set: Nullable(Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$', maxLength: 64 })),
    api_url: ApiUrl,
  },
  sendgrid: { region: OneOf(['global', 'eu'] as const), api_url: ApiUrl },
  postmark: {
    message_stream: Type.String({ pattern: '^[a-z0-9_-]{1,30}$', maxLength: 30, description: 'outbound by default' }),
    api_url: ApiUrl,
  },
  mailgun: {
    domain: Trimmed({ minLength: 4, maxLength: 253 }),
    region: OneOf(['us', 'eu'] as const),
    api_url: ApiUrl,
  },
  twilio: { account_sid: Type.String({ pattern: '^AC[0-9a-fA-F]{32}$', maxLength: 34 }), api_url: ApiUrl },
};
const secrets = {
  smtp: { password: Secret('The password') },
  ses: { secret_access_key: Secret('The secret access key') },
  sendgrid: { api_key: Secret('An API key that may send mail') },
  postmark: { server_token: Secret('The server API token') },
  mailgun: { api_key: Secret('A sending key of the domain, or the API key of the account') },
  twilio: { auth_token: Secret('The auth token, by which Twilio signs its own requests as well') },
};
/** The field of each provider's secret. */
export const SECRET_OF = {
  smtp: 'password',
  ses: 'secret_access_key',
  sendgrid: 'api_key',
  postmark: 'server_token',
  mailgun: 'api_key',
  twilio: 'auth_token',
} as const;

function shown<P extends keyof ProviderSettings>(provider: P) {
  return Nullable(Type.Unsafe<ProviderSettings[P]>(Type.Object(fields[provider])));
}

export const SendingAccount = Type.Object({
  account_id: Id,
  name: Type.String(),
  channel: OneOf(['email', 'sms'] as const),
  provider: OneOf(PROVIDERS),
  active: Type.Boolean({ description: 'Whether the messages of its channel go by it; one of each channel at most' }),
  smtp: shown('smtp'),
  ses: shown('ses'),
  sendgrid: shown('sendgrid'),
  postmark: shown('postmark'),
  mailgun: shown('mailgun'),
  twilio: shown('twilio'),
  secret_end: Nullable(
    Type.String({ description: 'The last four characters of the secret; null for one of less than 16' }),
  ),
  rate: Nullable(Type.Integer({ description: 'Messages per second at most, of all processes together; null: any' })),
  connections: Nullable(Type.Integer({ description: 'Deliveries at the same time of one process; null: the default' })),
  notifications_url: Nullable(
    Type.String({
      description:
        'What the service is to call: for bounces and complaints (with `bounces` in the sending settings), for inbound SMS. null for SMTP',
    }),
  ),
  failing_since: Nullable(
    Type.String({ description: 'YYYY-MM-DD HH:MM:SS, UTC: since when the service takes nothing' }),
  ),
  failure: Nullable(Type.String({ description: 'Reply of the service' })),
  created_at: Moment,
  updated_at: Moment,
});
export type SendingAccountRecord = Static<typeof SendingAccount>;

const common = {
  name: Trimmed({ minLength: 1, maxLength: 100 }),
  rate: Nullable(Type.Integer({ minimum: 1, maximum: MAX_RATE })),
  connections: Nullable(Type.Integer({ minimum: 1, maximum: MAX_CONNECTIONS })),
  active: Type.Boolean(),
};

/** All provider fields are optional here: the service reports missing ones. */
const given = {
  smtp: Type.Partial(Type.Object({ ...fields.smtp, ...secrets.smtp })),
  ses: Type.Partial(Type.Object({ ...fields.ses, ...secrets.ses })),
  sendgrid: Type.Partial(Type.Object({ ...fields.sendgrid, ...secrets.sendgrid })),
  postmark: Type.Partial(Type.Object({ ...fields.postmark, ...secrets.postmark })),
  mailgun: Type.Partial(Type.Object({ ...fields.mailgun, ...secrets.mailgun })),
  twilio: Type.Partial(Type.Object({ ...fields.twilio, ...secrets.twilio })),
};

export const SendingAccountPatch = Type.Partial(Type.Object({ ...common, ...given }));
export type SendingAccountPatch = Static<typeof SendingAccountPatch>;
export const SendingAccountInput = Type.Object({
  name: common.name,
  ...Type.Partial(Type.Object({ rate: common.rate, connections: common.connections, active: common.active, ...given }))
    .properties,
});
export type SendingAccountInput = Static<typeof SendingAccountInput>;

const read = { scope: 'marketing:read', tag: 'Sending accounts', status: 200 } as const;
/** Only owners decide through whose account, and at whose cost, messages are sent. */
const write = {
  scope: 'marketing:write',
  tag: 'Sending accounts',
  status: 200,
  personScope: 'company:write',
  confirm: true,
} as const;

export const listAccounts = {
  ...read,
  method: 'GET',
  path: '/sending-accounts',
  summary: 'List the accounts that messages are sent by',
  query: Type.Object(pageQuery(20)),
  inOrderOf: { by: 'account_id', direction: 'asc' },
  data: Type.Array(SendingAccount),
  listAs: 'sending_accounts',
} as const satisfies Endpoint;

export const createAccount = {
  ...write,
  method: 'POST',
  path: '/sending-accounts',
  summary: 'Add an account at a mail or SMS service',
  description:
    'Give the fields of one provider. Messages go by the account once it is `active`, which ends that of another account of the same channel; without one they go by the installation’s. At most 10 accounts.',
  body: SendingAccountInput,
  data: SendingAccount,
  status: 201,
} as const satisfies Endpoint;

export const getAccount = {
  ...read,
  method: 'GET',
  path: '/sending-accounts/{id}',
  summary: 'Read a sending account',
  params: IdParams,
  data: SendingAccount,
} as const satisfies Endpoint;

export const updateAccount = {
  ...write,
  method: 'PATCH',
  path: '/sending-accounts/{id}',
  summary: 'Change a sending account',
  description:
    'Absent fields do not change, including those of the provider. If the destination of the secret changes, it must be sent again. All processes use the changed account within seconds; messages in progress finish with the old settings.',
  params: IdParams,
  body: SendingAccountPatch,
  data: SendingAccount,
} as const satisfies Endpoint;

export const deleteAccount = {
  ...write,
  method: 'DELETE',
  path: '/sending-accounts/{id}',
  summary: 'Remove a sending account with its secret',
  params: IdParams,
  data: Type.Object({ account_id: Id, deleted: Type.Boolean() }),
} as const satisfies Endpoint;

export const testAccount = {
  ...read,
  scope: 'marketing:write',
  personScope: 'company:write',
  method: 'POST',
  path: '/sending-accounts/test/{id}',
  summary: 'Send one message by an account',
  description:
    'Sends a short message at once, even if the account is inactive, and returns the service’s reply, within 15 seconds. It does not appear in lists of messages. Repeating the request sends another message.',
  params: IdParams,
  body: Type.Object({ to: Trimmed({ minLength: 3, maxLength: 254, description: 'Your e-mail address or number' }) }),
  data: Type.Object({
    account_id: Id,
    sent: Type.Boolean({ description: 'Whether the service took the message' }),
    reply: Type.String({ description: 'Reply of the service, or the error' }),
  }),
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const sendingAccountEndpoints: readonly Endpoint[] = [
  listAccounts,
  createAccount,
  getAccount,
  updateAccount,
  deleteAccount,
  testAccount,
];
