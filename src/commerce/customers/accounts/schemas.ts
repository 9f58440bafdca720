import Type, { type Static } from 'typebox';
import { Id, Nullable, Trimmed } from '../../../lib/schemas.ts';
import { Password } from '../schemas.ts';

const optional = {
  first_name: Type.Optional(Trimmed({ maxLength: 200 })),
  last_name: Type.Optional(Trimmed({ maxLength: 200 })),
  company: Type.Optional(Trimmed({ maxLength: 200 })),
  phone: Type.Optional(Trimmed({ maxLength: 64 })),
  state: Type.Optional(Trimmed({ maxLength: 100, description: 'A code by ISO 3166-2 or an English name' })),
};
const required = {
  address: Trimmed({ minLength: 1, maxLength: 500 }),
  city: Trimmed({ minLength: 1, maxLength: 200 }),
  zip: Trimmed({ minLength: 1, maxLength: 20 }),
  country: Trimmed({ minLength: 1, maxLength: 100, description: 'ISO 3166 code or English name' }),
};

export const AddressInput = Type.Object({ ...optional, ...required });
export type AddressInput = Static<typeof AddressInput>;

export const AddressPatch = Type.Partial(AddressInput);
export type AddressPatch = Static<typeof AddressPatch>;

export const CustomerAddress = Type.Object({
  id: Id,
  first_name: Type.String(),
  last_name: Type.String(),
  company: Type.String(),
  phone: Type.String(),
  address: Type.String(),
  city: Type.String(),
  state: Type.String(),
  zip: Type.String(),
  country: Type.String({ description: 'ISO 3166 alpha-2' }),
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
});
export type CustomerAddress = Static<typeof CustomerAddress>;

export const AccountEmail = Trimmed({ minLength: 1, maxLength: 254, description: 'In any case' });
export const Code = Trimmed({ minLength: 6, maxLength: 6, description: 'The six digits of the mail' });

export const RegisterInput = Type.Object({
  email: AccountEmail,
  first_name: Type.Optional(Trimmed({ maxLength: 200 })),
  last_name: Type.Optional(Trimmed({ maxLength: 200 })),
  accepts_marketing: Type.Optional(Type.Boolean({ description: 'Counts once the code is entered' })),
});
export type RegisterInput = Static<typeof RegisterInput>;

export const VerifyInput = Type.Object({
  email: AccountEmail,
  code: Code,
  password: Type.Optional(Nullable(Password)),
});
export type VerifyInput = Static<typeof VerifyInput>;

export const LoginInput = Type.Object({
  email: AccountEmail,
  password: Type.Optional(Type.String({ maxLength: 200 })),
  code: Type.Optional(Code),
});
export type LoginInput = Static<typeof LoginInput>;

export const PasswordInput = Type.Object({
  password: Password,
  current_password: Type.Optional(
    Nullable(Type.String({ maxLength: 200, description: 'Required if the account has a password' })),
  ),
});
export type PasswordInput = Static<typeof PasswordInput>;
