import { type Route, route } from '../../http/api/endpoint.ts';
import { paged } from '../../lib/paging.ts';
import * as documents from './documents/contract.ts';
import type { StockDocumentsService } from './documents/service.ts';
import type { TransfersService } from './documents/transfers.ts';
import * as overview from './overview/contract.ts';
import type { InventoryService } from './overview/service.ts';

interface Services {
  inventory: InventoryService;
  stockDocuments: StockDocumentsService;
  transfers: TransfersService;
}

export function inventoryRoutes({ inventory, stockDocuments, transfers }: Services): Route[] {
  return [
    route(overview.listInventory, (call) => inventory.listInventory(call.caller, call.query), paged),
    route(
      overview.listReservations,
      (call) => inventory.listReservations(call.caller.companyId, call.params.id, call.query),
      paged,
    ),
    route(
      documents.listAdjustments,
      (call) => stockDocuments.listAdjustments(call.caller.companyId, call.query),
      paged,
    ),
    route(documents.createAdjustment, (call) => stockDocuments.createAdjustment(call.caller, call.body)),
    route(documents.listReceipts, (call) => stockDocuments.listReceipts(call.caller.companyId, call.query), paged),
    route(documents.getReceipt, (call) => stockDocuments.getReceipt(call.caller.companyId, call.params.id)),
    route(documents.createReceipt, (call) => stockDocuments.createReceipt(call.caller, call.body)),
    route(documents.listTransfers, (call) => transfers.listTransfers(call.caller.companyId, call.query), paged),
    route(documents.getTransfer, (call) => transfers.getTransfer(call.caller.companyId, call.params.id)),
    route(documents.createTransfer, (call) => transfers.createTransfer(call.caller, call.body)),
    route(documents.updateTransfer, (call) => transfers.updateTransfer(call.caller, call.params.id, call.body)),
    route(documents.sendTransfer, (call) => transfers.sendTransfer(call.caller, call.params.id)),
    route(documents.receiveTransfer, (call) => transfers.receiveTransfer(call.caller, call.params.id, call.body)),
    route(documents.cancelTransfer, (call) => transfers.cancelTransfer(call.caller, call.params.id)),
  ];
}
