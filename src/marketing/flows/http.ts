import { type Route, route } from '../../http/api/endpoint.ts';
import { paged } from '../../lib/paging.ts';
import * as contract from './contract.ts';
import * as service from './service.ts';

export function flowRoutes({ flows }: { flows: service.FlowsService }): Route[] {
  return [
    route(
      contract.listFlows,
      ({ caller, query: { status, trigger_type: triggerType, ...page } }) =>
        flows.listFlows(caller.companyId, { status, triggerType }, page),
      paged,
    ),
    route(contract.createFlow, ({ caller, body }) => flows.create(caller, body)),
    route(contract.getFlow, ({ caller, params }) => flows.getFlow(caller.companyId, params.id)),
    route(contract.updateFlow, ({ caller, params, body }) => flows.update(caller, params.id, body)),
    route(contract.putFlow, ({ caller, params, body }) => flows.update(caller, params.id, body)),
    route(contract.deleteFlow, ({ caller, params }) => flows.remove(caller, params.id)),
    route(contract.activateFlow, ({ caller, params }) => flows.move(caller, params.id, 'activate')),
    route(contract.pauseFlow, ({ caller, params }) => flows.move(caller, params.id, 'pause')),
    route(contract.archiveFlow, ({ caller, params }) => flows.move(caller, params.id, 'archive')),
    route(contract.duplicateFlow, ({ caller, params }) => flows.duplicate(caller, params.id)),
    route(contract.migrateFlow, ({ caller, params }) => flows.migrate(caller, params.id)),
    route(contract.enrollInFlow, ({ caller, params, body }) => flows.enroll(caller, params.id, body)),
    route(contract.testFlow, ({ caller, params, body }) =>
      flows.testFlow(caller.companyId, params.id, body, caller.now),
    ),
    route(contract.listVersions, ({ caller, params }) => flows.listVersions(caller.companyId, params.id)),
    route(contract.listRuns, ({ caller, params, query }) => flows.listRuns(caller.companyId, params.id, query), paged),
    route(contract.getStats, ({ caller, params }) => flows.getStats(caller.companyId, params.id)),
    route(contract.getRun, ({ caller, params }) => flows.getRun(caller.companyId, params.run_id)),
    route(contract.retryRun, ({ caller, params }) => flows.retryRun(caller, params.run_id)),
    route(contract.listNotifications, ({ caller, query }) => flows.listNotifications(caller.companyId, query), paged),
    route(contract.listLibrary, async () => service.listLibrary()),
    route(contract.createFromLibrary, ({ caller, params, body }) =>
      flows.createFromLibrary(caller, params.name, body.name),
    ),
  ];
}
