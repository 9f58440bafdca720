import { type Route, route } from '../../http/api/endpoint.ts';
import { paged } from '../../lib/paging.ts';
import * as contract from './contract.ts';
import type { NotesService } from './service.ts';

const customer = (id: number) => ({ kind: 'customer', id }) as const;
const order = (id: number) => ({ kind: 'order', id }) as const;

export function noteRoutes({ notes }: { notes: NotesService }): Route[] {
  return [
    route(
      contract.listCustomerNotes,
      ({ caller, params, query }) => notes.listNotes(caller.companyId, customer(params.id), query),
      paged,
    ),
    route(contract.createCustomerNote, (call) => notes.createNote(call.caller, customer(call.params.id), call.body)),
    route(contract.deleteCustomerNote, (call) => notes.deleteNote(call.caller, customer(call.params.id))),
    route(
      contract.listOrderNotes,
      ({ caller, params, query }) => notes.listNotes(caller.companyId, order(params.id), query),
      paged,
    ),
    route(contract.createOrderNote, (call) => notes.createNote(call.caller, order(call.params.id), call.body)),
    route(contract.deleteOrderNote, (call) => notes.deleteNote(call.caller, order(call.params.id))),
  ];
}
