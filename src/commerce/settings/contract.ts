import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { Nullable, OneOf, Trimmed } from '../../lib/schemas.ts';

const TAX_ROUNDINGS = ['line', 'order'] as const;

export const Settings = Type.Object({
  name: Type.String(),
  currency: Type.String({ description: 'ISO 4217; fixed from the first order on' }),
  time_zone: Type.String({ description: "IANA name; in it, a subscription's dates are counted" }),
  country: Type.String({ description: 'ISO 3166 alpha-2; the country of orders without one' }),
  tax_rounding: OneOf(TAX_ROUNDINGS, { description: 'Where halves of taxes are rounded up' }),
  prices_include_tax: Type.Boolean(),
  address: Type.String({ description: "The seller's address on invoices, line by line; empty where none is set" }),
  tax_number: Type.String({ description: "The seller's tax id on invoices" }),
});
export type Settings = Static<typeof Settings>;

export const SettingsPatch = Type.Object({
  name: Type.Optional(Trimmed({ minLength: 1, maxLength: 255 })),
  currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$' })),
  time_zone: Type.Optional(Type.String({ maxLength: 100 })),
  country: Type.Optional(Trimmed({ minLength: 1, maxLength: 100, description: 'ISO 3166 code or English name' })),
  tax_rounding: Type.Optional(OneOf(TAX_ROUNDINGS)),
  prices_include_tax: Type.Optional(Type.Boolean()),
  address: Type.Optional(Nullable(Trimmed({ maxLength: 500 }))),
  tax_number: Type.Optional(Nullable(Trimmed({ maxLength: 50 }))),
});
export type SettingsPatch = Static<typeof SettingsPatch>;

export const getSettings = {
  method: 'GET',
  path: '/settings',
  scope: 'settings:read',
  tag: 'Settings',
  summary: "Read the shop's settings",
  data: Settings,
  status: 200,
} as const satisfies Endpoint;

export const updateSettings = {
  method: 'PATCH',
  path: '/settings',
  scope: 'settings:write',
  personScope: 'company:write',
  tag: 'Settings',
  summary: "Change the shop's settings",
  description:
    'Holds for orders from now on. A currency with another number of decimals can be chosen only while nothing has a price and no custom field is of the type money.',
  body: SettingsPatch,
  data: Settings,
  status: 200,
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const settingsEndpoints: readonly Endpoint[] = [getSettings, updateSettings];
