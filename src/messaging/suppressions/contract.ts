import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { OneOf, pageQuery, Trimmed } from '../../lib/schemas.ts';

/** In ascending order of weight: a cause that lets receipts pass must not replace one that does not. */
export const SUPPRESSION_CAUSES = ['unsubscribe', 'bounce', 'complaint', 'manual'] as const;
export type SuppressionCause = (typeof SUPPRESSION_CAUSES)[number];

const CHANNELS = ['email', 'sms'] as const;
const MAX_ADDRESSES = 1_000;

export const Suppression = Type.Object({
  channel: OneOf(CHANNELS),
  cause: OneOf(SUPPRESSION_CAUSES),
  hash: Type.String({ description: 'Of the address, under a key that the database does not have, in hex' }),
  created_at: Type.String({ description: 'YYYY-MM-DD HH:MM:SS, UTC' }),
});
export type Suppression = Static<typeof Suppression>;

export const SuppressionQuery = Type.Object({
  address: Type.Optional(Trimmed({ minLength: 1, maxLength: 254, description: 'Whether this address is suppressed' })),
  channel: Type.Optional(OneOf(CHANNELS)),
  cause: Type.Optional(OneOf(SUPPRESSION_CAUSES)),
  before: Type.Optional(
    Type.String({
      pattern: '^[0-9a-f]{2,128}$',
      maxLength: 128,
      description: 'Instead of `page`: the `hash` of the last record of the previous page; returns older records',
    }),
  ),
  ...pageQuery(20),
});
export type SuppressionQuery = Static<typeof SuppressionQuery>;

export const Addresses = Type.Object({
  channel: Type.Optional(OneOf(CHANNELS, { default: 'email' })),
  addresses: Type.Array(
    Trimmed({ minLength: 1, maxLength: 254, description: 'E-mail addresses, or numbers in E.164' }),
    {
      minItems: 1,
      maxItems: MAX_ADDRESSES,
    },
  ),
});
export type Addresses = Static<typeof Addresses>;

const tag = 'Suppressions';

export const listSuppressions = {
  method: 'GET',
  path: '/suppressions',
  scope: 'marketing:read',
  tag,
  summary: 'List suppressions',
  description:
    'Newest first. Addresses are kept as keyed hashes, also after the contact is erased: to find one, ask for its `address`.',
  query: SuppressionQuery,
  inOrderOf: { behind: true },
  data: Type.Array(Suppression),
  listAs: 'suppressions',
  status: 200,
} as const satisfies Endpoint;

export const addSuppressions = {
  method: 'POST',
  path: '/suppressions',
  scope: 'marketing:write',
  tag,
  summary: 'Suppress addresses',
  description: 'From now on nothing is sent to them, receipts included, whosever they are, until they are lifted.',
  body: Addresses,
  data: Type.Object({ added: Type.Integer({ description: 'Those already suppressed by hand are not counted' }) }),
  status: 201,
} as const satisfies Endpoint;

export const liftSuppressions = {
  method: 'POST',
  path: '/suppressions/lift',
  scope: 'marketing:write',
  confirm: true,
  tag,
  summary: 'Lift suppressions of addresses',
  description:
    'Whatever their cause. A contact that is unsubscribed or bounced stays so until it is resubscribed. A person of the admin app must have proved within the last 15 minutes who they are.',
  body: Addresses,
  data: Type.Object({ lifted: Type.Integer() }),
  status: 200,
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const suppressionEndpoints: readonly Endpoint[] = [listSuppressions, addSuppressions, liftSuppressions];
