import type { App } from '../../app.ts';
import { eraseContact } from '../../erasure/service.ts';
import { type Answer, paged, type Route, route } from '../../http/endpoint.ts';
import { getConsentHistory } from './consent/history.ts';
import * as contract from './contract.ts';
import { exportContact } from './export/export.ts';
import { type ContactPage, listContacts } from './listing.ts';
import * as contacts from './service.ts';
import { resubscribeContact, unsubscribeContact } from './standing.ts';
import { getTimeline } from './timeline.ts';

export const contactsRoutes: Route[] = [
  route(
    contract.upsertContact,
    (app, call) => app.contacts.upsert(call.caller, call.body),
    (data) => ({ data, status: data.created ? 201 : 200 }),
  ),
  route(contract.upsertContacts, async (app, call) =>
    contacts.upsertContacts(
      call.db,
      call.caller,
      app.messaging.suppressions,
      call.body.contacts,
      await countryOf(app, call.caller.companyId),
    ),
  ),
  route(
    contract.listContacts,
    (_app, call) => listContacts(call.lists, call.caller.companyId, call.query, call.caller.now),
    listed,
  ),
  route(contract.getContact, (_app, call) => contacts.getContact(call.db, call.caller.companyId, call.params.id)),
  route(contract.updateContact, async (app, call) =>
    contacts.updateContact(
      call.db,
      call.caller,
      app.messaging.suppressions,
      call.params.id,
      call.body,
      await countryOf(app, call.caller.companyId),
    ),
  ),
  route(contract.deleteContact, (app, call) => eraseContact({ ...app, db: call.db }, call.caller, call.params.id)),
  route(contract.getTimeline, (_app, call) =>
    getTimeline(call.lists, call.caller.companyId, call.params.id, call.query),
  ),
  route(contract.getConsentHistory, (_app, call) =>
    getConsentHistory(call.lists, call.caller.companyId, call.params.id),
  ),
  route(contract.exportContact, (_app, call) => exportContact(call.lists, call.caller.companyId, call.params.id)),
  route(contract.unsubscribeContact, (app, call) =>
    unsubscribeContact(call.db, call.caller, app.messaging.suppressions, call.params.id, call.body),
  ),
  route(contract.resubscribeContact, (app, call) =>
    resubscribeContact(call.db, call.caller, app.messaging.suppressions, call.params.id, call.body),
  ),
];

async function countryOf(app: App, companyId: number): Promise<string> {
  return (await app.shops.get(companyId)).country;
}

function listed(page: ContactPage): Answer {
  const answer = paged(page);
  return page.exact ? answer : { ...answer, pagination: Object.assign(answer.pagination!, { total_exact: false }) };
}
