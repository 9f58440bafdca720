import { type Route, route } from '../../http/api/endpoint.ts';
import { paged } from '../../lib/paging.ts';
import * as contract from './contract.ts';
import type { CustomFieldsService } from './service.ts';

export function customFieldRoutes({ customFields }: { customFields: CustomFieldsService }): Route[] {
  return [
    route(contract.listCustomFields, (call) => customFields.listCustomFields(call.caller.companyId, call.query), paged),
    route(contract.getCustomField, (call) => customFields.getCustomField(call.caller.companyId, call.params.id)),
    route(contract.createCustomField, (call) => customFields.createCustomField(call.caller, call.body)),
    route(contract.updateCustomField, (call) => customFields.updateCustomField(call.caller, call.params.id, call.body)),
    route(contract.deleteCustomField, (call) => customFields.deleteCustomField(call.caller, call.params.id)),
  ];
}
