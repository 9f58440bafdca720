import Type from 'typebox';
import {
  CREDENTIAL_LIMIT as bodyLimit,
  Created,
  Passkey,
  PasskeyName,
  PasskeyOptions,
  Used,
} from '../../access/passkeys/schemas.ts';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { IdParams } from '../../lib/schemas.ts';
import { Deleted, NewSession } from '../accounts/contract.ts';

const guest = { method: 'POST', scope: 'store', tag: 'Passkeys', status: 200 } as const;
const own = { scope: 'store', tokens: ['customer'], tag: 'Passkeys', status: 200 } as const;

export const beginPasskeySignIn = {
  ...guest,
  path: '/customers/passkey/options',
  summary: 'Begin to sign in by a passkey',
  description:
    'For `navigator.credentials.get`, within 5 minutes. The same for everybody: the browser asks which passkey. Passkeys are valid for the host of the page alone, which is not an IP address.',
  body: Type.Object({}),
  bodyOptional: true,
  data: PasskeyOptions,
  repeatable: true,
  mayRefuse: true,
} as const satisfies Endpoint;

export const signInByPasskey = {
  ...guest,
  tokens: ['cart'],
  tokensOptional: true,
  path: '/customers/passkey',
  summary: 'Sign in by a passkey',
  description:
    'With what the browser made of the options. 401 `wrong_credentials` does not tell what is wrong. The open cart of the `X-Cart-Token` becomes the customer’s, or part of the one that they have.',
  body: Type.Object({ credential: Used }),
  bodyLimit,
  data: NewSession,
  returnsSecret: true,
  limitedBy: 'store_sign_ins',
} as const satisfies Endpoint;

export const listPasskeys = {
  ...own,
  method: 'GET',
  path: '/me/passkeys',
  summary: 'List one’s passkeys',
  description: 'Oldest first.',
  data: Type.Array(Passkey),
} as const satisfies Endpoint;

export const beginPasskey = {
  ...own,
  method: 'POST',
  path: '/me/passkeys/options',
  summary: 'Begin to create a passkey',
  description: 'For `navigator.credentials.create`, within 5 minutes.',
  body: Type.Object({}),
  bodyOptional: true,
  data: PasskeyOptions,
  repeatable: true,
  mayRefuse: true,
} as const satisfies Endpoint;

export const addPasskey = {
  ...own,
  method: 'POST',
  path: '/me/passkeys',
  summary: 'Keep a passkey that the browser created',
  description: 'At most 20. A mail tells the customer.',
  body: Type.Object({ name: PasskeyName, credential: Created }),
  bodyLimit,
  data: Passkey,
  status: 201,
} as const satisfies Endpoint;

export const removePasskey = {
  ...own,
  method: 'DELETE',
  path: '/me/passkeys/{id}',
  summary: 'Remove a passkey',
  description: 'It does not sign in any more. Sessions that it began go on.',
  params: IdParams,
  data: Deleted,
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const storePasskeyEndpoints: readonly Endpoint[] = [
  beginPasskeySignIn,
  signInByPasskey,
  listPasskeys,
  beginPasskey,
  addPasskey,
  removePasskey,
];
