import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { Id, IdParams, Nullable, pageQuery, Trimmed } from '../../lib/schemas.ts';

export const TaxRule = Type.Object({
  id: Id,
  name: Type.String(),
  country: Type.String({ description: 'ISO 3166 alpha-2' }),
  state: Nullable(Type.String({ description: 'Null: the whole country' })),
  zip_from: Nullable(Type.String()),
  zip_to: Nullable(Type.String({ description: 'The range includes its ends; one end alone is that one code' })),
  rate: Type.Number({ description: '0.0825 is 8.25 %' }),
  priority: Type.Integer({
    description: 'Rates of different priorities add up; within one the most specific rule wins',
  }),
  compound: Type.Boolean({ description: 'Taxes the taxes of lower priorities as well' }),
  applies_to_shipping: Type.Boolean(),
  tax_class: Nullable(Type.String({ description: 'Null: products of every class' })),
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
});
export type TaxRule = Static<typeof TaxRule>;

const Name = Trimmed({ minLength: 1, maxLength: 100, description: 'Name in the tax lines of orders' });
const Country = Trimmed({ minLength: 1, maxLength: 100, description: 'ISO 3166 code or English name' });
const Rate = Type.Number({ minimum: 0, maximum: 1, description: 'A fraction of at most six decimals' });
const fields = {
  state: Type.Optional(
    Nullable(Trimmed({ maxLength: 100, description: 'A code by ISO 3166-2 or an English name; kept as the code' })),
  ),
  zip_from: Type.Optional(Nullable(Trimmed({ maxLength: 20 }))),
  zip_to: Type.Optional(Nullable(Trimmed({ maxLength: 20 }))),
  priority: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  compound: Type.Optional(Type.Boolean()),
  applies_to_shipping: Type.Optional(Type.Boolean()),
  tax_class: Type.Optional(Nullable(Trimmed({ maxLength: 100 }))),
};

export const TaxRuleInput = Type.Object({ name: Name, country: Country, rate: Rate, ...fields });
export type TaxRuleInput = Static<typeof TaxRuleInput>;

export const TaxRulePatch = Type.Object({
  name: Type.Optional(Name),
  country: Type.Optional(Country),
  rate: Type.Optional(Rate),
  ...fields,
});
export type TaxRulePatch = Static<typeof TaxRulePatch>;

export const listTaxRules = {
  method: 'GET',
  path: '/tax-rules',
  scope: 'settings:read',
  tag: 'Taxes',
  summary: 'List tax rules',
  description: 'By priority.',
  query: Type.Object(pageQuery(25)),
  inOrderOf: { by: 'priority', id: 'id', direction: 'asc' },
  data: Type.Array(TaxRule),
  status: 200,
} as const satisfies Endpoint;

export const getTaxRule = {
  method: 'GET',
  path: '/tax-rules/{id}',
  scope: 'settings:read',
  tag: 'Taxes',
  summary: 'Read a tax rule',
  params: IdParams,
  data: TaxRule,
  status: 200,
} as const satisfies Endpoint;

export const createTaxRule = {
  method: 'POST',
  path: '/tax-rules',
  scope: 'settings:write',
  tag: 'Taxes',
  summary: 'Create a tax rule',
  description: 'Holds for orders from now on. An address that no rule fits is not taxed.',
  body: TaxRuleInput,
  data: TaxRule,
  status: 201,
} as const satisfies Endpoint;

export const updateTaxRule = {
  method: 'PATCH',
  path: '/tax-rules/{id}',
  scope: 'settings:write',
  tag: 'Taxes',
  summary: 'Change a tax rule',
  params: IdParams,
  body: TaxRulePatch,
  data: TaxRule,
  status: 200,
} as const satisfies Endpoint;

export const deleteTaxRule = {
  method: 'DELETE',
  path: '/tax-rules/{id}',
  scope: 'settings:write',
  tag: 'Taxes',
  summary: 'Delete a tax rule',
  description: 'Returns the rule as it was. Orders keep their tax lines.',
  params: IdParams,
  data: TaxRule,
  status: 200,
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const taxEndpoints: readonly Endpoint[] = [
  listTaxRules,
  getTaxRule,
  createTaxRule,
  updateTaxRule,
  deleteTaxRule,
];
