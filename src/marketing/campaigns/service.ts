import type { Caller } from '../../caller.ts';
import type { Db } from '../../db/pool.ts';
import type { CampaignDeps } from './campaign-deps.ts';
import type { CampaignInput, CampaignPatch, CampaignQuery } from './campaign-schema.ts';
import { createCampaign, deleteCampaign, duplicateCampaign, updateCampaign } from './editing.ts';
import { changeStatus, type StatusAction, sendCampaign } from './lifecycle.ts';
import { previewCampaign, testCampaign } from './preview/preview.ts';
import { getCampaign, listCampaigns } from './record.ts';
import { getReport, listRecipients } from './report/report.ts';
import { retryCampaign } from './retry/retry.ts';

export type CampaignsService = ReturnType<typeof createCampaignsService>;

/** The service that handlers are given: it holds the database and chooses the lane of each operation. */
export function createCampaignsService(deps: CampaignDeps) {
  const { db } = deps;
  const on = (lane: Db): CampaignDeps => ({ ...deps, db: lane });
  return {
    listCampaigns: (companyId: number, query: CampaignQuery) =>
      listCampaigns(on(db.lists(companyId)), companyId, query),
    createCampaign: (caller: Caller, input: CampaignInput) =>
      createCampaign(on(db.points(caller.companyId)), caller, input),
    getCampaign: (companyId: number, id: number) => getCampaign(on(db.points(companyId)), companyId, id),
    updateCampaign: (caller: Caller, id: number, patch: CampaignPatch) =>
      updateCampaign(on(db.points(caller.companyId)), caller, id, patch),
    deleteCampaign: (caller: Caller, id: number) => deleteCampaign(db.points(caller.companyId), caller, id),
    sendCampaign: (caller: Caller, id: number, when: Parameters<typeof sendCampaign>[3]) =>
      sendCampaign(on(db.points(caller.companyId)), caller, id, when),
    changeStatus: (caller: Caller, id: number, action: StatusAction) =>
      changeStatus(on(db.points(caller.companyId)), caller, id, action),
    duplicateCampaign: (caller: Caller, id: number) => duplicateCampaign(on(db.points(caller.companyId)), caller, id),
    retryCampaign: (caller: Caller, id: number, includeUnknown: boolean) =>
      retryCampaign(on(db.writes(caller.companyId)), caller, id, includeUnknown),
    testCampaign: (caller: Caller, id: number, input: Parameters<typeof testCampaign>[3]) =>
      testCampaign(on(db.points(caller.companyId)), caller, id, input),
    previewCampaign: (companyId: number, id: number, input: Parameters<typeof previewCampaign>[3]) =>
      previewCampaign(on(db.points(companyId)), companyId, id, input),
    listRecipients: (companyId: number, id: number, query: Parameters<typeof listRecipients>[3]) =>
      listRecipients(db.lists(companyId), companyId, id, query),
    getReport: async (companyId: number, id: number) =>
      getReport(db.lists(companyId), companyId, id, await deps.exponentOf(companyId)),
  };
}
