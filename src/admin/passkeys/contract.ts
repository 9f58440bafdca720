import Type from 'typebox';
import {
  CREDENTIAL_LIMIT as bodyLimit,
  Created,
  PasskeyName as Name,
  PasskeyOptions as Options,
  Passkey,
  Used,
} from '../../access/passkeys/schemas.ts';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { IdParams } from '../../lib/schemas.ts';
import { SessionView } from '../accounts/contract.ts';

const tag = 'Accounts';
export const listPasskeys = {
  method: 'GET',
  path: '/me/passkeys',
  scope: 'session',
  tag,
  summary: 'List the own passkeys',
  data: Type.Object({ passkeys: Type.Array(Passkey) }),
  status: 200,
} as const satisfies Endpoint;

export const beginPasskey = {
  method: 'POST',
  path: '/me/passkeys/options',
  scope: 'session',
  confirm: true,
  tag,
  summary: 'Begin to create a passkey',
  data: Options,
  status: 200,
} as const satisfies Endpoint;

export const createPasskey = {
  method: 'POST',
  path: '/me/passkeys',
  scope: 'session',
  confirm: true,
  tag,
  summary: 'Keep a passkey that the browser created',
  body: Type.Object({ name: Name, credential: Created }),
  bodyLimit,
  data: Passkey,
  status: 201,
} as const satisfies Endpoint;

export const renamePasskey = {
  method: 'PATCH',
  path: '/me/passkeys/{id}',
  scope: 'session',
  tag,
  summary: 'Rename a passkey',
  params: IdParams,
  body: Type.Object({ name: Name }),
  data: Passkey,
  status: 200,
} as const satisfies Endpoint;

export const removePasskey = {
  method: 'DELETE',
  path: '/me/passkeys/{id}',
  scope: 'session',
  confirm: true,
  tag,
  summary: 'Remove a passkey',
  description: 'Returns the passkey as it was. The last one stays where there is no password.',
  params: IdParams,
  data: Passkey,
  status: 200,
} as const satisfies Endpoint;

export const beginPasskeySignIn = {
  method: 'POST',
  path: '/session/passkey/options',
  scope: 'anyone',
  tag,
  summary: 'Begin to sign in by a passkey',
  description: 'Of any account: the browser asks which.',
  data: Options,
  status: 200,
} as const satisfies Endpoint;

export const signInByPasskey = {
  method: 'POST',
  path: '/session/passkey',
  scope: 'anyone',
  tag,
  summary: 'Sign in by a passkey',
  description: 'Needs no code, because the device has verified the user. Ends an existing session of the browser.',
  body: Type.Object({ credential: Used }),
  bodyLimit,
  data: SessionView,
  status: 200,
} as const satisfies Endpoint;

export const beginPasskeyConfirmation = {
  method: 'POST',
  path: '/session/confirm/passkey/options',
  scope: 'session',
  tag,
  summary: 'Begin to confirm the identity with a passkey',
  data: Options,
  status: 200,
} as const satisfies Endpoint;

export const confirmByPasskey = {
  method: 'POST',
  path: '/session/confirm/passkey',
  scope: 'session',
  tag,
  summary: 'Confirm the identity with a passkey',
  description: 'For the next 15 minutes what asks for `confirmation_required` is permitted.',
  body: Type.Object({ credential: Used }),
  bodyLimit,
  data: SessionView,
  status: 200,
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const passkeyEndpoints: readonly Endpoint[] = [
  beginPasskeySignIn,
  signInByPasskey,
  beginPasskeyConfirmation,
  confirmByPasskey,
  listPasskeys,
  beginPasskey,
  createPasskey,
  renamePasskey,
  removePasskey,
];
