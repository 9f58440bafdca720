import { type Requests, ref } from './requests.ts';
import type { Ids, SeededCompany } from './seed.ts';

/** A valid request for every endpoint of the marketing API about contacts, lists, segments, forms and events. */

let made = 0;
const freshContact = async ({ make, ids }: SeededCompany): Promise<Ids> => {
  const body = { email: `fresh${++made}@example.net`, list_ids: [ids.list] };
  const { contact_id, email } = await make('marketing', 'POST', '/contacts', body);
  return { contact: contact_id, email };
};
/** A contact on no list. */
const freshOutsider = async ({ make }: SeededCompany): Promise<Ids> => {
  const { contact_id, email } = await make('marketing', 'POST', '/contacts', { email: `fresh${++made}@example.net` });
  return { contact: contact_id, email };
};
/** Two contacts, of which the second can be merged into the first. */
const freshOther = async (company: SeededCompany): Promise<Ids> => {
  const { contact } = await freshOutsider(company);
  return { ...(await freshContact(company)), other_contact: contact! };
};
const unsubscribed = async (company: SeededCompany): Promise<Ids> => {
  const ids = await freshContact(company);
  await company.make('marketing', 'POST', `/contacts/unsubscribe/${ids.contact}`);
  return ids;
};
const fresh = (record: string, path: string, id: string, body: object) => async (company: SeededCompany) => ({
  [record]: (await company.make('marketing', 'POST', path, body))[id] as number | string,
});
const rules = (...list: object[]) => ({ operator: 'and', rules: list });
const RULE = { field: 'first_name', comparison: 'exists' };
const freshSegment = fresh('segment', '/segments', 'segment_id', { name: 'Fresh', conditions: rules(RULE) });
const freshList = fresh('list', '/lists', 'list_id', { name: 'Fresh' });
const freshForm = fresh('form', '/forms', 'form_id', { name: 'Fresh' });
const freshType = fresh('event_type', '/event-types', 'event_type', { event_type: 'hiccuped' });

const CONTACTS: Requests = {
  'POST /contacts': [{ body: { email: 'new@example.net', first_name: 'New', list_ids: [ref('list')] } }],
  'POST /contacts/batch': [
    {
      body: { contacts: [{ email: 'batch@example.net', list_ids: [ref('list')] }] },
      mayBeAbsent: ['body.contacts.0.list_ids.0'],
    },
  ],
  'GET /contacts': [
    {},
    {
      query: { list_id: ref('list'), segment_id: ref('segment') },
      mayBeAbsent: ['query.list_id', 'query.segment_id'],
    },
  ],
  'GET /contacts/{id}': [{ of: 'contact' }],
  'PATCH /contacts/{id}': [{ of: 'contact', body: { last_name: 'New', list_ids: [ref('list')] } }],
  'DELETE /contacts/{id}': [{ of: 'contact', before: freshContact }],
  'POST /contacts/{id}/merge': [
    { of: 'contact', body: { other_contact_id: ref('other_contact') }, before: freshOther },
  ],
  'POST /contacts/unsubscribe/{id}': [
    { of: 'contact', before: freshContact },
    { of: 'contact', body: { list_ids: [ref('list')] }, before: freshContact },
  ],
  'POST /contacts/resubscribe/{id}': [
    { of: 'contact', before: unsubscribed },
    { of: 'contact', body: { list_ids: [ref('list')], reason: 'Wrote to us' }, before: unsubscribed },
  ],
  'GET /contacts/{id}/timeline': [{ of: 'contact' }],
  'GET /contacts/{id}/consents': [{ of: 'contact' }],
  'GET /contacts/{id}/export': [{ of: 'contact' }],
};

const LISTS: Requests = {
  'GET /reports/list-growth': [{}, { query: { list_id: ref('list') } }],
  'GET /reports/revenue': [{ query: { by: 'flow' } }, { query: { by: 'campaign', interval: 'week' } }],
  'GET /reports/providers': [{}, { query: { days: '7' } }],
  'GET /lists': [{}],
  'POST /lists': [{ body: { name: 'New' } }],
  'GET /lists/{id}': [{ of: 'list' }],
  'PATCH /lists/{id}': [{ of: 'list', body: { description: 'New' } }],
  'DELETE /lists/{id}': [{ of: 'list', before: freshList }],
  'POST /lists/{id}/contacts': [
    {
      of: 'list',
      body: { contact_ids: [ref('contact')] },
      before: freshOutsider,
      mayBeAbsent: ['body.contact_ids.0'],
    },
    { of: 'list', body: { emails: [ref('email')] }, before: freshOutsider, mayBeAbsent: ['body.emails.0'] },
  ],
  'POST /lists/{id}/contacts/remove': [
    {
      of: 'list',
      body: { contact_ids: [ref('contact')] },
      before: freshContact,
      mayBeAbsent: ['body.contact_ids.0'],
    },
    { of: 'list', body: { emails: [ref('email')] }, before: freshContact, mayBeAbsent: ['body.emails.0'] },
  ],
};

const CONDITIONS = rules(
  { field: 'list_ids', comparison: 'contains', value: ref('list') },
  { field: 'contact_id', comparison: 'in', value: [ref('contact')] },
);
const IN_CONDITIONS = ['body.conditions.rules.0.value', 'body.conditions.rules.1.value.0'];

const SEGMENTS: Requests = {
  'GET /segments': [{}],
  'POST /segments': [{ body: { name: 'New', conditions: CONDITIONS }, mayBeAbsent: IN_CONDITIONS, writesAnyway: true }],
  'GET /segments/{id}': [{ of: 'segment' }],
  'PATCH /segments/{id}': [
    {
      of: 'segment',
      body: { conditions: CONDITIONS },
      before: freshSegment,
      mayBeAbsent: IN_CONDITIONS,
      writesAnyway: true,
    },
  ],
  'DELETE /segments/{id}': [{ of: 'segment', before: freshSegment }],
  'POST /segments/preview': [{ body: { conditions: CONDITIONS, sample: 5 }, mayBeAbsent: IN_CONDITIONS }],
  'GET /segments/{id}/explain': [{ of: 'segment', query: { contact_id: ref('contact') } }],
  'GET /segments/{id}/growth': [{ of: 'segment' }],
  'GET /segments/{id}/overlap': [{ of: 'segment', query: { segment_id: ref('segment') } }],
};

const FORMS: Requests = {
  'GET /forms': [{}],
  'POST /forms': [{ body: { name: 'New', list_ids: [ref('list')] } }],
  'GET /forms/{id}': [{ of: 'form' }],
  'GET /forms/{id}/days': [{ of: 'form' }],
  'PATCH /forms/{id}': [{ of: 'form', body: { list_ids: [ref('list')], success_text: 'Thanks' } }],
  'DELETE /forms/{id}': [{ of: 'form', before: freshForm }],
};

const EVENT = { event_type: ref('event_type'), event_data: { email: 'sneezer@example.net' } };

const EVENTS: Requests = {
  'POST /events': [{ body: EVENT }],
  'POST /events/batch': [{ body: { events: [EVENT] }, mayBeAbsent: ['body.events.0.event_type'] }],
  'GET /events': [
    {},
    {
      query: { contact_id: ref('contact'), event_type: ref('event_type') },
      mayBeAbsent: ['query.contact_id', 'query.event_type'],
    },
  ],
  'GET /event-types': [{}],
  'POST /event-types': [{ body: { event_type: 'coughed' } }],
  'DELETE /event-types/{event_type}': [{ of: 'event_type', before: freshType }],
};

export const ABOUT_CONTACTS: Requests = { ...CONTACTS, ...LISTS, ...SEGMENTS, ...FORMS, ...EVENTS };
