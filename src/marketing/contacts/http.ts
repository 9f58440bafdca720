import { type ErasingDeps, eraseContact } from '../../erasure/service.ts';
import { type ApiResponse, type Route, route } from '../../http/api/endpoint.ts';
import { paged } from '../../lib/paging.ts';
import type { ContactRecords } from './contact-records.ts';
import * as contract from './contract.ts';
import type { ContactPage } from './listing/listing.ts';
import type { ContactsService } from './service.ts';

export interface ContactsRoutesDeps extends ErasingDeps {
  contacts: ContactsService;
  contactRecords: ContactRecords;
}

export function contactsRoutes(deps: ContactsRoutesDeps): Route[] {
  const { contacts, contactRecords: records } = deps;
  return [
    route(
      contract.upsertContact,
      (call) => contacts.upsert(call.caller, call.body),
      (data) => ({ data, status: data.created ? 201 : 200 }),
    ),
    route(contract.upsertContacts, (call) => records.upsertContacts(call.caller, call.body.contacts)),
    route(
      contract.listContacts,
      (call) => records.listContacts(call.caller.companyId, call.query, call.caller.now),
      listed,
    ),
    route(contract.getContact, (call) => records.getContact(call.caller.companyId, call.params.id)),
    route(contract.updateContact, (call) => records.updateContact(call.caller, call.params.id, call.body)),
    route(contract.deleteContact, (call) => eraseContact(deps, call.caller, call.params.id)),
    route(contract.getTimeline, (call) => records.getTimeline(call.caller.companyId, call.params.id, call.query)),
    route(contract.getConsentHistory, (call) => records.getConsentHistory(call.caller.companyId, call.params.id)),
    route(contract.exportContact, (call) => records.exportContact(call.caller.companyId, call.params.id)),
    route(contract.unsubscribeContact, (call) => records.unsubscribeContact(call.caller, call.params.id, call.body)),
    route(contract.resubscribeContact, (call) => records.resubscribeContact(call.caller, call.params.id, call.body)),
  ];
}

function listed(page: ContactPage): ApiResponse<ContactPage['rows']> {
  const answer = paged(page);
  return page.exact ? answer : { ...answer, pagination: Object.assign(answer.pagination!, { total_exact: false }) };
}
