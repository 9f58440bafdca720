import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../../http/api/endpoint.ts';
import { IdParams } from '../../../lib/schemas.ts';
import { Contact } from '../contact-schema.ts';

export const ContactMergeInput = Type.Object({
  other_contact_id: Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'The contact that becomes part of this one',
  }),
});
export type ContactMergeInput = Static<typeof ContactMergeInput>;

export const mergeContact = {
  method: 'POST',
  path: '/contacts/{id}/merge',
  scope: 'marketing:write',
  confirm: true,
  tag: 'Contacts',
  summary: 'Merge another contact into a contact',
  description:
    'Events, messages, memberships and runs of the contact `other_contact_id` become those of `id`, and so does what only they have: keys, names, tags, properties. Of e-mail address and phone those of `id` stay. The stricter consent of the two counts for each channel: `unsubscribed`, then `never` said of an address; what was said of the other address is kept for it. The contact `other_contact_id` is not found any more; repeating the request changes nothing. Two contacts that both have an `external_id` are refused (`contact_conflict`): merge the customers of the shop, and their contacts follow.',
  params: IdParams,
  body: ContactMergeInput,
  data: Contact,
  status: 200,
} as const satisfies Endpoint;
