import Type, { type Static } from 'typebox';
import { FreeForm, Id, Nullable, Trimmed } from '../../lib/schemas.ts';

const Moment = Type.String({ format: 'date-time' });
const Base64Url = (maxLength: number) => Type.String({ maxLength, pattern: '^[A-Za-z0-9_-]*$' });
const CREDENTIAL_ID = 1_400;
/** In bytes, of a request with what the browser made. */
export const CREDENTIAL_LIMIT = 65_536;

export const PasskeyOptions = Type.Object(
  { options: FreeForm },
  { description: 'For the browser, as WebAuthn writes them in JSON' },
);
export type PasskeyOptions = Static<typeof PasskeyOptions>;

const credential = {
  id: Base64Url(CREDENTIAL_ID),
  rawId: Base64Url(CREDENTIAL_ID),
  type: Type.Literal('public-key'),
  clientExtensionResults: FreeForm,
};

/** The browser's data after a passkey was created. */
export const Created = Type.Object({
  ...credential,
  response: Type.Object({
    clientDataJSON: Base64Url(4_000),
    attestationObject: Base64Url(20_000),
    transports: Type.Optional(Type.Array(Type.String({ maxLength: 20 }), { maxItems: 10 })),
  }),
});
export type Created = Static<typeof Created>;

/** The browser's data after a passkey was used. */
export const Used = Type.Object({
  ...credential,
  response: Type.Object({
    clientDataJSON: Base64Url(4_000),
    authenticatorData: Base64Url(4_000),
    signature: Base64Url(8_000),
    userHandle: Type.Optional(Base64Url(200)),
  }),
});
export type Used = Static<typeof Used>;

export const Passkey = Type.Object({
  id: Id,
  name: Type.String(),
  created_at: Moment,
  last_used_at: Nullable(Moment),
});
export type Passkey = Static<typeof Passkey>;

export const PasskeyName = Trimmed({ minLength: 1, maxLength: 100 });
