import { type Route, route } from '../../http/api/endpoint.ts';
import * as contract from './contract.ts';
import type { BulkService } from './service.ts';

export function bulkRoutes({ bulk }: { bulk: BulkService }): Route[] {
  return [
    route(contract.shipOrders, ({ caller, body }) => bulk.start(caller, 'ship_orders', body.filters)),
    route(contract.archiveProducts, ({ caller, body }) => bulk.start(caller, 'archive_products', body.filters)),
    route(contract.restoreProducts, ({ caller, body }) => bulk.start(caller, 'restore_products', body.filters)),
    route(contract.tagContacts, ({ caller, body: { filters, tag } }) =>
      bulk.start(caller, 'tag_contacts', filters, { tag }),
    ),
    route(contract.untagContacts, ({ caller, body: { filters, tag } }) =>
      bulk.start(caller, 'untag_contacts', filters, { tag }),
    ),
    route(contract.getBulkAction, ({ caller, params }) => bulk.get(caller.companyId, params.id)),
    route(contract.cancelBulkAction, ({ caller, params }) => bulk.cancel(caller, params.id, contract.ACTIONS)),
    route(contract.cancelTagging, ({ caller, params }) => bulk.cancel(caller, params.id, contract.CONTACT_ACTIONS)),
    route(contract.undoTagging, ({ caller, params }) => bulk.undo(caller, params.id)),
  ];
}
