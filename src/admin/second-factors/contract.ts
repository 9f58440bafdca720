import Type from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { Trimmed } from '../../lib/schemas.ts';

const tag = 'Accounts';

export const beginTotp = {
  method: 'POST',
  path: '/me/totp',
  scope: 'session',
  confirm: true,
  tag,
  summary: 'Begin to use an authenticator app',
  description: 'It counts once a code of it was confirmed; until then the next call replaces it.',
  data: Type.Object({
    secret: Type.String({ description: 'In base32, to type into the app' }),
    url: Type.String({ description: '`otpauth://…`, for a QR code' }),
  }),
  status: 200,
} as const satisfies Endpoint;

export const confirmTotp = {
  method: 'POST',
  path: '/me/totp/confirm',
  scope: 'session',
  confirm: true,
  tag,
  summary: 'Confirm the authenticator app',
  description: "From now on sign-in asks for its code. Ends the person's other sessions.",
  body: Type.Object({ code: Trimmed({ minLength: 6, maxLength: 10 }) }),
  data: Type.Object({
    recovery_codes: Type.Array(Type.String(), { description: 'Each replaces one code of the app; shown this once' }),
  }),
  status: 200,
} as const satisfies Endpoint;

export const removeTotp = {
  method: 'DELETE',
  path: '/me/totp',
  scope: 'session',
  confirm: true,
  tag,
  summary: 'Remove the authenticator app',
  description: 'Its recovery codes go with it.',
  data: Type.Object({}),
  status: 200,
} as const satisfies Endpoint;

export const secondFactorEndpoints: readonly Endpoint[] = [beginTotp, confirmTotp, removeTotp];
