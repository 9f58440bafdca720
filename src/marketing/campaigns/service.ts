import type { RequireConfirmed } from '../../access/sessions.ts';
import type { Caller } from '../../caller.ts';
import type { Db, Tx } from '../../db/pool.ts';
import type { IfMatch } from '../../lib/validation/revision.ts';
import type { CalendarQuery } from './calendar/contract.ts';
import { getCalendar } from './calendar/service.ts';
import type { CampaignDeps } from './campaign-deps.ts';
import type { CampaignInput, CampaignPatch, CampaignQuery } from './campaign-schema.ts';
import { checkCampaign } from './check/check.ts';
import type { CheckQuery } from './check/contract.ts';
import { createCampaign, deleteCampaign, duplicateCampaign, updateCampaign } from './editing.ts';
import { countOrders, type PlacedOrder } from './hold-out/order-queries.ts';
import { changeStatus, type StatusAction, sendCampaign } from './lifecycle.ts';
import { getLinkMap } from './link-map/link-map.ts';
import { previewCampaign, testCampaign } from './preview/preview.ts';
import { exportRecipients, listRecipients } from './recipients/recipients.ts';
import type { RecipientState } from './recipients/states.ts';
import { campaignsInOrder, getCampaign, listCampaigns } from './record.ts';
import { getReport } from './report/report.ts';
import type { ResendInput } from './resend/contract.ts';
import { resendCampaign } from './resend/resend.ts';
import { retryCampaign } from './retry/retry.ts';

export { removeHeldOut } from './hold-out/removal-queries.ts';

export type CampaignsService = ReturnType<typeof createCampaignsService>;

/** The service passed to the handlers: it holds the database and chooses the lane of each operation. */
export function createCampaignsService(deps: CampaignDeps) {
  const { db } = deps;
  const on = (lane: Db): CampaignDeps => ({ ...deps, db: lane });
  return {
    listCampaigns: (companyId: number, query: CampaignQuery) =>
      listCampaigns(on(db.lists(companyId)), companyId, query),
    campaignsInOrder: (companyId: number, query: CampaignQuery) =>
      campaignsInOrder(on(db.lists(companyId)), companyId, query),
    createCampaign: (caller: Caller, input: CampaignInput, requireConfirmed: RequireConfirmed) =>
      createCampaign(on(db.points(caller.companyId)), caller, input, requireConfirmed),
    getCampaign: (companyId: number, id: number, now: Date) =>
      getCampaign(on(db.points(companyId)), companyId, id, now),
    updateCampaign: (
      caller: Caller,
      id: number,
      patch: CampaignPatch,
      ifMatch: IfMatch | null,
      requireConfirmed: RequireConfirmed,
    ) => updateCampaign(on(db.points(caller.companyId)), caller, id, patch, ifMatch, requireConfirmed),
    deleteCampaign: (caller: Caller, id: number) => deleteCampaign(db.points(caller.companyId), caller, id),
    sendCampaign: (
      caller: Caller,
      id: number,
      when: Parameters<typeof sendCampaign>[3],
      requireConfirmed: RequireConfirmed,
    ) => sendCampaign(on(db.points(caller.companyId)), caller, id, when, requireConfirmed),
    changeStatus: (caller: Caller, id: number, action: StatusAction, requireConfirmed: RequireConfirmed = null) =>
      changeStatus(on(db.points(caller.companyId)), caller, id, action, requireConfirmed),
    duplicateCampaign: (caller: Caller, id: number) => duplicateCampaign(on(db.points(caller.companyId)), caller, id),
    resendCampaign: (caller: Caller, id: number, input: ResendInput) =>
      resendCampaign(on(db.points(caller.companyId)), caller, id, input),
    retryCampaign: (caller: Caller, id: number, includeUnknown: boolean) =>
      retryCampaign(on(db.writes(caller.companyId)), caller, id, includeUnknown),
    testCampaign: (caller: Caller, id: number, input: Parameters<typeof testCampaign>[3]) =>
      testCampaign(on(db.points(caller.companyId)), caller, id, input),
    previewCampaign: (companyId: number, id: number, input: Parameters<typeof previewCampaign>[3]) =>
      previewCampaign(on(db.points(companyId)), companyId, id, input),
    checkCampaign: (companyId: number, id: number, query: CheckQuery, now: Date) =>
      checkCampaign(on(db.lists(companyId)), companyId, id, query, now),
    listRecipients: (companyId: number, id: number, query: Parameters<typeof listRecipients>[3]) =>
      listRecipients(db.lists(companyId), companyId, id, query),
    getCalendar: async (companyId: number, query: CalendarQuery, now: Date) =>
      getCalendar(db.lists(companyId), companyId, await deps.timeZoneOf(companyId), now, query),
    getLinkMap: (companyId: number, id: number, variant: string | undefined) =>
      getLinkMap(on(db.lists(companyId)), companyId, id, variant),
    exportRecipients: (companyId: number, id: number, state: RecipientState | undefined) =>
      exportRecipients(db.lists(companyId), companyId, id, state),
    getReport: (companyId: number, id: number) => getReport(on(db.lists(companyId)), companyId, id),
  };
}

/** Counts orders for campaigns with a hold-out group, in the transaction that stores their events. */
export async function countOrdersOfGroups(
  tx: Tx,
  companyId: number,
  { orders, days }: { orders: PlacedOrder[]; days: number },
): Promise<void> {
  if (orders.length > 0) await countOrders(tx, companyId, orders, days);
}
