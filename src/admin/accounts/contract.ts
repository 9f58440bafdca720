import Type, { type Static } from 'typebox';
import { ROLES } from '../../access/roles.ts';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { FreeForm, Id, Nullable, OneOf, Trimmed } from '../../lib/schemas.ts';

const Moment = Type.String({ format: 'date-time' });
const Email = Trimmed({ minLength: 3, maxLength: 254 });
const Name = Trimmed({ minLength: 1, maxLength: 100 });
/** At least fifteen characters, because the password may be the only factor (NIST SP 800-63B-4, 3.1.1.2). */
const NewPassword = Type.String({ minLength: 15, maxLength: 200 });
const GivenPassword = Type.String({ minLength: 1, maxLength: 200 });
const Code = Trimmed({ minLength: 6, maxLength: 40, description: 'Of the authenticator app, or a recovery code' });
const Token = Type.String({ minLength: 1, maxLength: 200 });

export const Person = Type.Object({
  id: Nullable(Id),
  email: Nullable(Type.String()),
  name: Type.String(),
  language: OneOf(['en', 'de']),
  theme: OneOf(['light', 'dark', 'auto']),
  has_password: Type.Boolean(),
  has_totp: Type.Boolean(),
  passkeys: Type.Integer(),
});
export type Person = Static<typeof Person>;

export const SessionView = Type.Object({
  person: Person,
  companies: Type.Array(
    Type.Object({
      id: Id,
      name: Type.String(),
      currency: Type.String(),
      time_zone: Type.String(),
      country: Type.String({ description: 'ISO 3166 alpha-2' }),
      role: OneOf(ROLES),
      scopes: Type.Array(Type.String()),
    }),
  ),
  owns_installation: Type.Boolean({ description: 'The operator, and the first owner' }),
  confirmed_at: Moment,
  expires_at: Moment,
  settings: Type.Object({ mail: Type.Boolean(), test_clock: Type.Boolean(), version: Type.String() }),
});
export type SessionView = Static<typeof SessionView>;

const Nothing = Type.Object({});
const tag = 'Accounts';

export const getSession = {
  method: 'GET',
  path: '/session',
  scope: 'session',
  tag,
  summary: 'Read the current session',
  data: SessionView,
  status: 200,
} as const satisfies Endpoint;

const SignIn = Type.Object({ email: Email, password: GivenPassword, code: Type.Optional(Code) });
export type SignIn = Static<typeof SignIn>;

export const signIn = {
  method: 'POST',
  path: '/session',
  scope: 'anyone',
  tag,
  summary: 'Sign in',
  description:
    'Without `code`, a person with an authenticator app is refused with `second_factor_required`. A session that the browser had ends.',
  body: SignIn,
  data: SessionView,
  status: 200,
} as const satisfies Endpoint;

export const getWays = {
  method: 'GET',
  path: '/session/ways',
  scope: 'anyone',
  tag,
  summary: 'Read which ways there are to sign in',
  data: Type.Object({ mail: Type.Boolean({ description: 'Whether links are sent by e-mail' }) }),
  status: 200,
} as const satisfies Endpoint;

const LinkRequest = Type.Object({
  email: Email,
  purpose: Type.Optional(
    OneOf(['sign_in', 'reset_password'], {
      description:
        'By default `sign_in`. A link of `reset_password` needs the new password, and its use ends all sessions of the person',
    }),
  ),
});
export type LinkRequest = Static<typeof LinkRequest>;

export const sendLink = {
  method: 'POST',
  path: '/links',
  scope: 'anyone',
  tag,
  summary: 'Send a link to sign in or to choose a new password',
  description:
    'Sends an e-mail if the address has an account. The response is the same in either case. Without a mail server, nothing is sent. The link works once, within an hour, and still asks for the code of an authenticator app.',
  body: LinkRequest,
  data: Nothing,
  status: 200,
} as const satisfies Endpoint;

export const signOut = {
  method: 'DELETE',
  path: '/session',
  scope: 'session',
  tag,
  summary: 'Sign out',
  data: Nothing,
  status: 200,
} as const satisfies Endpoint;

export const confirm = {
  method: 'POST',
  path: '/session/confirm',
  scope: 'session',
  tag,
  summary: 'Confirm the identity of the person',
  description: 'For the next 15 minutes what asks for `confirmation_required` is permitted.',
  body: Type.Object({ password: GivenPassword }),
  data: SessionView,
  status: 200,
} as const satisfies Endpoint;

export const LinkView = Type.Object({
  kind: OneOf(['owner_setup', 'operator', 'invitation', 'magic', 'set_password', 'reset_password']),
  email: Nullable(Type.String()),
  company: Nullable(Type.String()),
});
export type LinkView = Static<typeof LinkView>;

export const lookAtLink = {
  method: 'POST',
  path: '/links/look',
  scope: 'anyone',
  tag,
  summary: 'Read the purpose of a link',
  description: 'Uses nothing up.',
  body: Type.Object({ token: Token }),
  data: LinkView,
  status: 200,
} as const satisfies Endpoint;

const LinkUse = Type.Object({
  token: Token,
  email: Type.Optional(Email),
  name: Type.Optional(Name),
  password: Type.Optional(GivenPassword),
  code: Type.Optional(Code),
});
export type LinkUse = Static<typeof LinkUse>;

export const useLink = {
  method: 'POST',
  path: '/links/use',
  scope: 'anyone',
  tag,
  summary: 'Use a link, once',
  description:
    'The first owner sends `email`, `name` and `password`; an invited person `name` and `password`, or the password of the existing account; `set_password` and `reset_password` need the new password.',
  body: LinkUse,
  data: SessionView,
  status: 200,
} as const satisfies Endpoint;

export const getMe = {
  method: 'GET',
  path: '/me',
  scope: 'session',
  tag,
  summary: 'Read the own account',
  data: Person,
  status: 200,
} as const satisfies Endpoint;

const PersonPatch = Type.Object({
  name: Type.Optional(Name),
  language: Type.Optional(OneOf(['en', 'de'])),
  theme: Type.Optional(OneOf(['light', 'dark', 'auto'])),
});
export type PersonPatch = Static<typeof PersonPatch>;

export const updateMe = {
  method: 'PATCH',
  path: '/me',
  scope: 'session',
  tag,
  summary: 'Change the own account',
  body: PersonPatch,
  data: Person,
  status: 200,
} as const satisfies Endpoint;

export const setPassword = {
  method: 'POST',
  path: '/me/password',
  scope: 'session',
  confirm: true,
  tag,
  summary: 'Set the own password',
  description: "Ends the person's other sessions.",
  body: Type.Object({ password: NewPassword }),
  data: Person,
  status: 200,
} as const satisfies Endpoint;

export const OwnSession = Type.Object({
  id: Id,
  address: Type.String(),
  user_agent: Type.String(),
  created_at: Moment,
  last_seen_at: Moment,
  current: Type.Boolean(),
});
export type OwnSession = Static<typeof OwnSession>;

export const listSessions = {
  method: 'GET',
  path: '/me/sessions',
  scope: 'session',
  tag,
  summary: 'List the own sessions',
  description: 'The last used first; 100 at most.',
  data: Type.Object({ sessions: Type.Array(OwnSession) }),
  status: 200,
} as const satisfies Endpoint;

export const endSession = {
  method: 'DELETE',
  path: '/me/sessions/{id}',
  scope: 'session',
  tag,
  summary: 'End one of the own sessions',
  params: Type.Object({ id: Id }),
  data: Nothing,
  status: 200,
} as const satisfies Endpoint;

export const getDocument = {
  method: 'GET',
  path: '/openapi.json',
  scope: 'session',
  tag,
  summary: 'Read the description of this API',
  description: 'An OpenAPI 3.1 document.',
  data: FreeForm,
  status: 200,
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const accountEndpoints: readonly Endpoint[] = [
  getSession,
  getWays,
  signIn,
  signOut,
  confirm,
  sendLink,
  lookAtLink,
  useLink,
  getMe,
  updateMe,
  setPassword,
  listSessions,
  endSession,
  getDocument,
];
