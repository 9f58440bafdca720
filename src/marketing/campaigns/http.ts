import { type Route, route } from '../../http/api/endpoint.ts';
import { paged } from '../../lib/paging.ts';
import type { Wake } from '../../work/worker-names.ts';
import * as contract from './contract.ts';
import * as preview from './preview/contract.ts';
import * as report from './report/contract.ts';
import type { CampaignsService } from './service.ts';

export function campaignRoutes({ campaigns, wake }: { campaigns: CampaignsService; wake: Wake }): Route[] {
  /** Wakes this process's workers for what was queued; those of other processes find it by polling. */
  function wakeWorkers<T>(result: T): T {
    wake('campaign-audiences');
    wake('campaigns');
    wake('sender');
    return result;
  }

  return [
    route(contract.listCampaigns, (call) => campaigns.listCampaigns(call.caller.companyId, call.query), paged),
    route(contract.createCampaign, (call) => campaigns.createCampaign(call.caller, call.body)),
    route(contract.getCampaign, (call) => campaigns.getCampaign(call.caller.companyId, call.params.id)),
    route(contract.updateCampaign, (call) => campaigns.updateCampaign(call.caller, call.params.id, call.body)),
    route(contract.deleteCampaign, (call) => campaigns.deleteCampaign(call.caller, call.params.id)),
    route(contract.sendCampaign, async (call) =>
      wakeWorkers(await campaigns.sendCampaign(call.caller, call.params.id, call.body)),
    ),
    route(contract.pauseCampaign, (call) => campaigns.changeStatus(call.caller, call.params.id, 'pause')),
    route(contract.resumeCampaign, async (call) =>
      wakeWorkers(await campaigns.changeStatus(call.caller, call.params.id, 'resume')),
    ),
    route(contract.cancelCampaign, async (call) =>
      wakeWorkers(await campaigns.changeStatus(call.caller, call.params.id, 'cancel')),
    ),
    route(contract.duplicateCampaign, (call) => campaigns.duplicateCampaign(call.caller, call.params.id)),
    route(contract.retryCampaign, async (call) =>
      wakeWorkers(await campaigns.retryCampaign(call.caller, call.params.id, call.body.include_unknown ?? false)),
    ),
    route(preview.testCampaign, async (call) =>
      wakeWorkers(await campaigns.testCampaign(call.caller, call.params.id, call.body)),
    ),
    route(preview.previewCampaign, (call) =>
      campaigns.previewCampaign(call.caller.companyId, call.params.id, call.body),
    ),
    route(
      report.listRecipients,
      (call) => campaigns.listRecipients(call.caller.companyId, call.params.id, call.query),
      paged,
    ),
    route(report.getReport, (call) => campaigns.getReport(call.caller.companyId, call.params.id)),
  ];
}
