import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../../http/api/endpoint.ts';
import { Id, IdParams, Nullable } from '../../../lib/schemas.ts';

export const LinkMap = Type.Object({
  campaign_id: Id,
  variant: Nullable(Type.String()),
  html: Nullable(
    Type.String({
      description:
        'The e-mail as nobody in particular would get it, with the recipients who clicked written on each link. Links lead nowhere, and nothing counts as an open or a click. null for an SMS, and for an e-mail of more than 250,000 characters',
    }),
  ),
  links: Type.Array(
    Type.Object({
      url: Type.String({ description: 'As in the template where it differs by recipient' }),
      clicks: Type.Integer({ description: 'Recipients who clicked, of all variants' }),
      places: Type.Integer({ description: 'How often the e-mail that is shown has it; 0 where it changed since' }),
    }),
    { description: 'The hundred that most clicked' },
  ),
});
export type LinkMap = Static<typeof LinkMap>;

export const getLinkMap = {
  method: 'GET',
  path: '/campaigns/{id}/link-map',
  scope: 'marketing:read',
  tag: 'Campaigns',
  summary: 'Read a campaign with its clicks written on its links',
  params: IdParams,
  query: Type.Object({
    variant: Type.Optional(Type.String({ maxLength: 64, description: 'Its key; absent: the campaign itself' })),
  }),
  data: LinkMap,
  status: 200,
} as const satisfies Endpoint;
