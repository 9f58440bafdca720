import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../../http/api/endpoint.ts';
import { FreeForm, IdParams } from '../../../lib/schemas.ts';
import { ConsentHistoryEntry } from '../consent/contract.ts';
import { Contact } from '../contact-schema.ts';
import { Entry } from '../timeline/contract.ts';

export const ContactExport = Type.Object({
  contact: Contact,
  consents: Type.Array(ConsentHistoryEntry),
  memberships: Type.Array(FreeForm),
  events: Type.Array(FreeForm),
  messages: Type.Array(FreeForm),
  activity: Type.Array(Entry),
  flow_runs: Type.Array(FreeForm, { description: 'With their trigger, data and log' }),
  notifications: Type.Array(FreeForm, { description: 'Notifications of flows about the contact' }),
  mails: Type.Array(FreeForm, { description: 'As far as the built-in mailbox still has them' }),
  form_submissions: Type.Array(FreeForm, { description: 'Submissions of signup forms, with consent texts' }),
  hold_outs: Type.Array(FreeForm, {
    description: 'Campaigns in whose hold-out group the contact was',
  }),
});
export type ContactExport = Static<typeof ContactExport>;

export const exportContact = {
  method: 'GET',
  path: '/contacts/{id}/export',
  scope: 'marketing:read',
  tag: 'Contacts',
  summary: 'Everything that is stored about a contact',
  description: 'Streamed. Two exports of a company run at a time; a further one is refused with 429 and Retry-After.',
  streams: true,
  params: IdParams,
  data: ContactExport,
  status: 200,
} as const satisfies Endpoint;
