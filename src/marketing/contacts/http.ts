import type { ErasureService } from '../../erasure/service.ts';
import { type ApiResponse, type Route, route } from '../../http/api/endpoint.ts';
import { paged } from '../../lib/paging.ts';
import * as consent from './consent/contract.ts';
import * as contract from './contract.ts';
import * as exports from './export/contract.ts';
import type { ContactPage } from './listing/listing.ts';
import { mergeContact } from './merge/contract.ts';
import type { ContactsService } from './service.ts';
import * as timeline from './timeline/contract.ts';

interface ContactsRoutesDeps {
  contacts: ContactsService;
  erasures: ErasureService;
}

export function contactsRoutes({ contacts, erasures }: ContactsRoutesDeps): Route[] {
  return [
    route(
      contract.upsertContact,
      (call) => contacts.upsert(call.caller, call.body),
      (data) => ({ data, status: data.created ? 201 : 200 }),
    ),
    route(contract.upsertContacts, (call) => contacts.importContacts(call.caller, call.body.contacts)),
    route(
      contract.listContacts,
      (call) => contacts.listContacts(call.caller.companyId, call.query, call.caller.now),
      listed,
      {
        behind: (call, place, limit) =>
          contacts.listBehind(call.caller.companyId, call.query, { place, limit, now: call.caller.now }),
        inOrder: ({ caller, query }) => contacts.contactsInOrder(caller.companyId, query, caller.now),
      },
    ),
    route(contract.getContact, (call) => contacts.getContact(call.caller.companyId, call.params.id)),
    route(contract.updateContact, (call) => contacts.updateContact(call.caller, call.params.id, call.body)),
    route(contract.deleteContact, (call) => erasures.eraseContact(call.caller, call.params.id)),
    route(mergeContact, (call) => contacts.mergeContact(call.caller, call.params.id, call.body)),
    route(timeline.getTimeline, (call) => contacts.getTimeline(call.caller.companyId, call.params.id, call.query)),
    route(consent.getConsentHistory, (call) => contacts.getConsentHistory(call.caller.companyId, call.params.id)),
    route(exports.exportContact, (call) => contacts.exportContact(call.caller.companyId, call.params.id)),
    route(consent.unsubscribeContact, (call) => contacts.unsubscribeContact(call.caller, call.params.id, call.body)),
    route(consent.resubscribeContact, (call) => contacts.resubscribeContact(call.caller, call.params.id, call.body)),
  ];
}

function listed(page: ContactPage): ApiResponse<ContactPage['rows']> {
  const response = paged(page);
  if (page.exact) return response;
  return { ...response, pagination: Object.assign(response.pagination!, { total_exact: false }) };
}
