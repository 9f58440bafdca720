import type { Caller } from '../../caller.ts';
import type { Db } from '../../db/pool.ts';
import type { CampaignInput, CampaignPatch, CampaignQuery } from './contract.ts';
import * as campaigns from './service.ts';

export type CampaignsService = ReturnType<typeof createCampaignsService>;

/** The service as handlers are given it: it holds the database, and takes the lane that each read needs. */
export function createCampaignsService(options: campaigns.CampaignDeps) {
  const { db } = options;
  const on = (lane: Db): campaigns.CampaignDeps => ({ ...options, db: lane });
  return {
    listCampaigns: (companyId: number, query: CampaignQuery) =>
      campaigns.listCampaigns(on(db.lists(companyId)), companyId, query),
    createCampaign: (caller: Caller, input: CampaignInput) =>
      campaigns.createCampaign(on(db.points(caller.companyId)), caller, input),
    getCampaign: (companyId: number, id: number) => campaigns.getCampaign(on(db.points(companyId)), companyId, id),
    updateCampaign: (caller: Caller, id: number, patch: CampaignPatch) =>
      campaigns.updateCampaign(on(db.points(caller.companyId)), caller, id, patch),
    deleteCampaign: (caller: Caller, id: number) => campaigns.deleteCampaign(db.points(caller.companyId), caller, id),
    sendCampaign: (caller: Caller, id: number, when: Parameters<typeof campaigns.sendCampaign>[3]) =>
      campaigns.sendCampaign(on(db.points(caller.companyId)), caller, id, when),
    moveCampaign: (caller: Caller, id: number, to: 'pause' | 'resume' | 'cancel') =>
      campaigns.moveCampaign(on(db.points(caller.companyId)), caller, id, to),
    duplicateCampaign: (caller: Caller, id: number) =>
      campaigns.duplicateCampaign(on(db.points(caller.companyId)), caller, id),
    retryCampaign: (caller: Caller, id: number, includeUnknown: boolean) =>
      campaigns.retryCampaign(on(db.writes(caller.companyId)), caller, id, includeUnknown),
    testCampaign: (caller: Caller, id: number, input: Parameters<typeof campaigns.testCampaign>[3]) =>
      campaigns.testCampaign(on(db.points(caller.companyId)), caller, id, input),
    previewCampaign: (companyId: number, id: number, input: Parameters<typeof campaigns.previewCampaign>[3]) =>
      campaigns.previewCampaign(on(db.points(companyId)), companyId, id, input),
    listRecipients: (companyId: number, id: number, query: Parameters<typeof campaigns.listRecipients>[3]) =>
      campaigns.listRecipients(db.lists(companyId), companyId, id, query),
    getReport: async (companyId: number, id: number) =>
      campaigns.getReport(db.lists(companyId), companyId, id, await options.exponentOf(companyId)),
  };
}
