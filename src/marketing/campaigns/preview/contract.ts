import Type from 'typebox';
import type { Endpoint } from '../../../http/api/endpoint.ts';
import { Id, IdParams, Trimmed } from '../../../lib/schemas.ts';
import { Preview } from '../../templates/contract.ts';

const action = { method: 'POST', tag: 'Campaigns', params: IdParams, status: 200 } as const;

export const testCampaign = {
  ...action,
  path: '/campaigns/test/{id}',
  scope: 'marketing:write',
  summary: 'Send a test to addresses of your own',
  body: Type.Object({
    recipients: Type.Array(Trimmed({ minLength: 3, maxLength: 254, description: 'E-mail addresses or numbers' }), {
      minItems: 1,
      maxItems: 10,
    }),
    contact_id: Type.Optional(Id),
    variant: Type.Optional(Type.String({ maxLength: 64 })),
  }),
  data: Type.Object({ campaign_id: Id, queued: Type.Integer() }),
} as const satisfies Endpoint;

export const previewCampaign = {
  ...action,
  path: '/campaigns/preview/{id}',
  unaudited: 'changes nothing',
  scope: 'marketing:read',
  summary: 'Preview a campaign as a contact gets it',
  body: Type.Object({ contact_id: Type.Optional(Id), variant: Type.Optional(Type.String({ maxLength: 64 })) }),
  bodyOptional: true,
  data: Preview,
} as const satisfies Endpoint;
