import { paged, type Route, route } from '../../http/endpoint.ts';
import * as contract from './contract.ts';
import * as service from './service.ts';

export const flowRoutes: Route[] = [
  route(
    contract.listFlows,
    (_app, { caller, query: { status, trigger_type: triggerType, ...page }, lists }) =>
      service.listFlows(lists, caller.companyId, { status, triggerType }, page),
    paged,
  ),
  route(contract.createFlow, (app, { caller, body }) => app.flows.create(caller, body)),
  route(contract.getFlow, (_app, { caller, params, db }) => service.getFlow(db, caller.companyId, params.id)),
  route(contract.updateFlow, (app, { caller, params, body }) => app.flows.update(caller, params.id, body)),
  route(contract.putFlow, (app, { caller, params, body }) => app.flows.update(caller, params.id, body)),
  route(contract.deleteFlow, (app, { caller, params }) => app.flows.remove(caller, params.id)),
  route(contract.activateFlow, (app, { caller, params }) => app.flows.move(caller, params.id, 'activate')),
  route(contract.pauseFlow, (app, { caller, params }) => app.flows.move(caller, params.id, 'pause')),
  route(contract.archiveFlow, (app, { caller, params }) => app.flows.move(caller, params.id, 'archive')),
  route(contract.duplicateFlow, (app, { caller, params }) => app.flows.duplicate(caller, params.id)),
  route(contract.migrateFlow, (app, { caller, params }) => app.flows.migrate(caller, params.id)),
  route(contract.enrollInFlow, (app, { caller, params, body }) => app.flows.enroll(caller, params.id, body)),
  route(contract.testFlow, (_app, { caller, params, body, db }) =>
    service.testFlow(db, caller.companyId, params.id, body, caller.now),
  ),
  route(contract.listVersions, (_app, { caller, params, lists }) =>
    service.listVersions(lists, caller.companyId, params.id),
  ),
  route(
    contract.listRuns,
    (_app, { caller, params, query, lists }) => service.listRuns(lists, caller.companyId, params.id, query),
    paged,
  ),
  route(contract.getStats, (_app, { caller, params, lists }) => service.getStats(lists, caller.companyId, params.id)),
  route(contract.getRun, (_app, { caller, params, db }) => service.getRun(db, caller.companyId, params.run_id)),
  route(contract.retryRun, (app, { caller, params }) => app.flows.retryRun(caller, params.run_id)),
  route(
    contract.listNotifications,
    (_app, { caller, query, lists }) => service.listNotifications(lists, caller.companyId, query),
    paged,
  ),
  route(contract.listLibrary, async () => service.listLibrary()),
  route(contract.createFromLibrary, (app, { caller, params, body }) =>
    app.flows.createFromLibrary(caller, params.name, body.name),
  ),
];
