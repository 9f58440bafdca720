import type { AdminSessions } from '../../access/sessions.ts';
import { type Route, route } from '../../http/api/endpoint.ts';
import { paged } from '../../lib/paging.ts';
import type { Wake } from '../../work/worker-names.ts';
import { getCampaignCalendar } from './calendar/contract.ts';
import { checkCampaign } from './check/contract.ts';
import * as contract from './contract.ts';
import { getLinkMap } from './link-map/contract.ts';
import * as preview from './preview/contract.ts';
import * as recipients from './recipients/contract.ts';
import { getReport } from './report/contract.ts';
import { resendCampaign } from './resend/contract.ts';
import type { CampaignsService } from './service.ts';

interface Services {
  campaigns: CampaignsService;
  sessions: AdminSessions;
  wake: Wake;
}

export function campaignRoutes({ campaigns, sessions, wake }: Services): Route[] {
  /** Wakes this process's workers for what was queued; those of other processes find it by polling. */
  function wakeWorkers<T>(result: T): T {
    wake('campaign-audiences');
    wake('campaigns');
    wake('sender');
    return result;
  }

  return [
    route(contract.listCampaigns, (call) => campaigns.listCampaigns(call.caller.companyId, call.query), paged, {
      inOrder: ({ caller, query }) => campaigns.campaignsInOrder(caller.companyId, query),
    }),
    route(contract.createCampaign, (call) =>
      campaigns.createCampaign(call.caller, call.body, sessions.confirmationOf(call.visitor)),
    ),
    route(getCampaignCalendar, ({ caller, query }) => campaigns.getCalendar(caller.companyId, query, caller.now)),
    route(contract.getCampaign, (call) =>
      campaigns.getCampaign(call.caller.companyId, call.params.id, call.caller.now),
    ),
    route(contract.updateCampaign, (call) =>
      campaigns.updateCampaign(
        call.caller,
        call.params.id,
        call.body,
        call.ifMatch,
        sessions.confirmationOf(call.visitor),
      ),
    ),
    route(contract.deleteCampaign, (call) => campaigns.deleteCampaign(call.caller, call.params.id)),
    route(contract.sendCampaign, async (call) =>
      wakeWorkers(
        await campaigns.sendCampaign(call.caller, call.params.id, call.body, sessions.confirmationOf(call.visitor)),
      ),
    ),
    route(contract.pauseCampaign, (call) => campaigns.changeStatus(call.caller, call.params.id, 'pause')),
    route(contract.resumeCampaign, async (call) =>
      wakeWorkers(
        await campaigns.changeStatus(call.caller, call.params.id, 'resume', sessions.confirmationOf(call.visitor)),
      ),
    ),
    route(contract.cancelCampaign, async (call) =>
      wakeWorkers(await campaigns.changeStatus(call.caller, call.params.id, 'cancel')),
    ),
    route(contract.duplicateCampaign, (call) => campaigns.duplicateCampaign(call.caller, call.params.id)),
    route(resendCampaign, (call) => campaigns.resendCampaign(call.caller, call.params.id, call.body)),
    route(contract.retryCampaign, async (call) =>
      wakeWorkers(await campaigns.retryCampaign(call.caller, call.params.id, call.body.include_unknown ?? false)),
    ),
    route(preview.testCampaign, async (call) =>
      wakeWorkers(await campaigns.testCampaign(call.caller, call.params.id, call.body)),
    ),
    route(preview.previewCampaign, (call) =>
      campaigns.previewCampaign(call.caller.companyId, call.params.id, call.body),
    ),
    route(checkCampaign, ({ caller, params, query }) =>
      campaigns.checkCampaign(caller.companyId, params.id, query, caller.now),
    ),
    route(
      recipients.listRecipients,
      (call) => campaigns.listRecipients(call.caller.companyId, call.params.id, call.query),
      paged,
    ),
    route(getLinkMap, (call) => campaigns.getLinkMap(call.caller.companyId, call.params.id, call.query.variant)),
    route(getReport, (call) => campaigns.getReport(call.caller.companyId, call.params.id)),
  ];
}

/** Endpoints that only the admin app uses. */
export function recipientRoutes({ campaigns }: Pick<Services, 'campaigns'>): Route[] {
  return [
    route(recipients.exportRecipients, (call) =>
      campaigns.exportRecipients(call.caller.companyId, call.params.id, call.query.state),
    ),
  ];
}
