import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { Id, Trimmed } from '../../lib/schemas.ts';

export const CompanyInput = Type.Object({
  name: Trimmed({ minLength: 1, maxLength: 255 }),
  country: Trimmed({ minLength: 1, maxLength: 100, description: 'ISO 3166 code or English name' }),
  currency: Trimmed({ minLength: 1, maxLength: 10, description: 'ISO 4217 code; of all amounts' }),
  time_zone: Trimmed({ minLength: 1, maxLength: 100, description: 'IANA name; of calendar days' }),
});
export type CompanyInput = Static<typeof CompanyInput>;

export const CreatedCompany = Type.Object({
  id: Id,
  name: Type.String(),
  country: Type.String(),
  currency: Type.String(),
  time_zone: Type.String(),
});
export type CreatedCompany = Static<typeof CreatedCompany>;

export const createCompany = {
  method: 'POST',
  path: '/companies',
  scope: 'session',
  tag: 'Installation',
  summary: 'Create a company',
  description:
    'For who owns the installation: the operator, and the first owner, who becomes its owner. It has the webhook secret that `webhook-secrets` replaces and shows. Its orders earn loyalty points when they are delivered. It has five active flows that write to customers when their order waits for its payment, is received, shipped, delivered or cancelled.',
  body: CompanyInput,
  data: CreatedCompany,
  status: 201,
} as const satisfies Endpoint;

export const companyEndpoints: readonly Endpoint[] = [createCompany];
