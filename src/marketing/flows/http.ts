import type { AdminSessions } from '../../access/sessions.ts';
import { type Route, route } from '../../http/api/endpoint.ts';
import { paged } from '../../lib/paging.ts';
import * as contract from './contract.ts';
import * as enrolmentContract from './enrolment/contract.ts';
import * as libraryContract from './library/contract.ts';
import * as reportContract from './report/contract.ts';
import * as service from './service.ts';
import * as trialContract from './trial/contract.ts';

export function flowRoutes({ flows, sessions }: { flows: service.FlowsService; sessions: AdminSessions }): Route[] {
  return [
    route(
      contract.listFlows,
      ({ caller, query: { status, trigger_type: triggerType, ...page } }) =>
        flows.listFlows(caller.companyId, { status, triggerType }, page),
      paged,
    ),
    route(contract.createFlow, ({ caller, body, visitor }) =>
      flows.create(caller, body, sessions.confirmationOf(visitor)),
    ),
    route(contract.getFlow, ({ caller, params }) => flows.getFlow(caller.companyId, params.id)),
    route(contract.updateFlow, ({ caller, params, body, ifMatch, visitor }) =>
      flows.update(caller, params.id, body, ifMatch, sessions.confirmationOf(visitor)),
    ),
    route(contract.putFlow, ({ caller, params, body, ifMatch, visitor }) =>
      flows.update(caller, params.id, body, ifMatch, sessions.confirmationOf(visitor)),
    ),
    route(contract.deleteFlow, ({ caller, params }) => flows.remove(caller, params.id)),
    route(contract.activateFlow, ({ caller, params }) => flows.changeStatus(caller, params.id, 'activate')),
    route(contract.pauseFlow, ({ caller, params }) => flows.changeStatus(caller, params.id, 'pause')),
    route(contract.archiveFlow, ({ caller, params }) => flows.changeStatus(caller, params.id, 'archive')),
    route(contract.duplicateFlow, ({ caller, params }) => flows.duplicate(caller, params.id)),
    route(contract.getMigration, ({ caller, params }) => flows.getMigration(caller.companyId, params.id)),
    route(contract.migrateFlow, ({ caller, params, body }) => flows.migrate(caller, params.id, body.moves)),
    route(enrolmentContract.enrollInFlow, ({ caller, params, body }) => flows.enroll(caller, params.id, body)),
    route(trialContract.testFlow, ({ caller, params, body }) =>
      flows.testFlow(caller.companyId, params.id, body, caller.now),
    ),
    route(reportContract.listVersions, ({ caller, params }) => flows.listVersions(caller.companyId, params.id)),
    route(
      reportContract.listRuns,
      ({ caller, params, query }) => flows.listRuns(caller.companyId, params.id, query),
      paged,
    ),
    route(reportContract.getStats, ({ caller, params }) => flows.getStats(caller.companyId, params.id)),
    route(reportContract.getRun, ({ caller, params }) => flows.getRun(caller.companyId, params.run_id)),
    route(reportContract.retryRun, ({ caller, params }) => flows.retryRun(caller, params.run_id)),
    route(
      reportContract.listNotifications,
      ({ caller, query }) => flows.listNotifications(caller.companyId, query),
      paged,
    ),
    route(libraryContract.listLibrary, async () => service.listLibrary()),
    route(libraryContract.createFromLibrary, ({ caller, params, body }) =>
      flows.createFromLibrary(caller, params.name, body.name),
    ),
  ];
}
