import type { App } from '../../app.ts';
import type { Db } from '../../db/pool.ts';
import { paged, type Route, route } from '../../http/endpoint.ts';
import * as contract from './contract.ts';
import * as campaigns from './service.ts';

function deps(app: App, db: Db): campaigns.CampaignDeps {
  const exponentOf = async (companyId: number): Promise<number> => (await app.shops.get(companyId)).exponent;
  return { db, exponentOf, previewer: app.messaging.previewer, missing: app.messaging.missing };
}

/** What was queued is looked for at once in this process, by the others in a moment. */
function woken<T>(app: App, result: T): T {
  app.wake('campaign-audiences');
  app.wake('campaigns');
  app.wake('sender');
  return result;
}

export const campaignRoutes: Route[] = [
  route(
    contract.listCampaigns,
    (app, call) => campaigns.listCampaigns(deps(app, call.lists), call.caller.companyId, call.query),
    paged,
  ),
  route(contract.createCampaign, (app, call) => campaigns.createCampaign(deps(app, call.db), call.caller, call.body)),
  route(contract.getCampaign, (app, call) =>
    campaigns.getCampaign(deps(app, call.db), call.caller.companyId, call.params.id),
  ),
  route(contract.updateCampaign, (app, call) =>
    campaigns.updateCampaign(deps(app, call.db), call.caller, call.params.id, call.body),
  ),
  route(contract.deleteCampaign, (_app, call) => campaigns.deleteCampaign(call.db, call.caller, call.params.id)),
  route(contract.sendCampaign, async (app, call) =>
    woken(app, await campaigns.sendCampaign(deps(app, call.db), call.caller, call.params.id, call.body)),
  ),
  route(contract.pauseCampaign, (app, call) =>
    campaigns.moveCampaign(deps(app, call.db), call.caller, call.params.id, 'pause'),
  ),
  route(contract.resumeCampaign, async (app, call) =>
    woken(app, await campaigns.moveCampaign(deps(app, call.db), call.caller, call.params.id, 'resume')),
  ),
  route(contract.cancelCampaign, async (app, call) =>
    woken(app, await campaigns.moveCampaign(deps(app, call.db), call.caller, call.params.id, 'cancel')),
  ),
  route(contract.duplicateCampaign, (app, call) =>
    campaigns.duplicateCampaign(deps(app, call.db), call.caller, call.params.id),
  ),
  route(contract.retryCampaign, async (app, call) =>
    woken(
      app,
      await campaigns.retryCampaign(
        deps(app, call.lists),
        call.caller,
        call.params.id,
        call.body.include_unknown ?? false,
      ),
    ),
  ),
  route(contract.testCampaign, async (app, call) =>
    woken(app, await campaigns.testCampaign(deps(app, call.db), call.caller, call.params.id, call.body)),
  ),
  route(contract.previewCampaign, (app, call) =>
    campaigns.previewCampaign(deps(app, call.db), call.caller.companyId, call.params.id, call.body),
  ),
  route(
    contract.listRecipients,
    (_app, call) => campaigns.listRecipients(call.lists, call.caller.companyId, call.params.id, call.query),
    paged,
  ),
  route(contract.getReport, async (app, call) => {
    const { companyId } = call.caller;
    return campaigns.getReport(call.lists, companyId, call.params.id, (await app.shops.get(companyId)).exponent);
  }),
];
