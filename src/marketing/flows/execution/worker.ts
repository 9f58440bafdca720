import type { Logger } from 'pino';
import { createCompanyCache } from '../../../access/company-cache.ts';
import { type CompanyVersions, versionIn } from '../../../access/company-versions.ts';
import type { Db, Tx } from '../../../db/pool.ts';
import { eachCompany } from '../../../work/sets.ts';
import { createWorker, type Worker } from '../../../work/worker.ts';
import { changeContacts, loadContacts } from '../../contacts/service.ts';
import { changeMemberships, findListSettings } from '../../lists/service.ts';
import { createGraphs } from '../definition/versions.ts';
import type { Enrolment } from '../enrolment/enrolment.ts';
import { enter } from '../enrolment/entering.ts';
import { findTimeZone } from '../queries.ts';
import { foldStats } from '../report/stats.ts';
import { createDomainEvents, type DomainEventDeps } from './domain-events.ts';
import * as dueQueries from './due-queries.ts';
import type { FlowMessage } from './effects.ts';
import * as queries from './run-queries.ts';
import { createRunSets } from './run-sets.ts';
import type { SteppingDeps } from './stepping.ts';
import { createTasks } from './tasks/tasks.ts';

export interface FlowWorkerDeps extends DomainEventDeps {
  versions: CompanyVersions;
  enrolment: Enrolment;
  queueMessages(tx: Tx, companyId: number, messages: FlowMessage[], now: Date): Promise<unknown>;
}

const IDLE_MS = 250;
/** Runs of one company per transaction. */
const SET = 500;
/** Sets in progress at the same time: one is decided while the other waits for the database. */
const LANES = 2;
/** Statistics deltas that one statement folds: about 0.1 s. */
const DELTAS = 50_000;

/** Advances runs that are due or have signals: the companies take turns, one set at a time. */
export function createFlowWorker(deps: FlowWorkerDeps): Worker {
  const { db, clock, log } = deps;
  const emit = createDomainEvents(deps);
  const workTask = createTasks(deps);
  const stepSet = createRunSets({ db, clock, log, stepping: steppingOf(deps) });

  async function takeTurn({ company_id: companyId, emissions, tasks }: dueQueries.CompanyWork): Promise<number> {
    const emitted = emissions ? await emit(companyId) : 0;
    const worked = tasks ? await workTask(companyId) : 0;
    const stepped = await stepSet(companyId, async (tx, now) => {
      const [signalled, due] = await Promise.all([
        queries.claimSignalledRuns(tx, companyId, SET),
        queries.claimDueRuns(tx, companyId, now, SET),
      ]);
      return [...new Map([...signalled, ...due].map((row) => [row.id, row])).values()];
    });
    return emitted + worked + stepped;
  }

  return createWorker({
    name: 'flows',
    idleMs: IDLE_MS,
    log,
    nextDue: () => dueQueries.nextDueRun(db),
    async run(signal) {
      const companies = await dueQueries.companiesWithWork(db, clock.now());
      // A single company uses all lanes, with a set in each.
      const turns = companies.length === 1 ? Array<dueQueries.CompanyWork>(LANES).fill(companies[0]!) : companies;
      return eachCompany(turns, signal, takeTurn, LANES);
    },
  });
}

/** Folds the statistics deltas of flows. */
export function createFlowStatsWorker({ db, log }: { db: Db; log: Logger }): Worker {
  const gather = { ms: 500, below: DELTAS };
  return createWorker({ name: 'flow-stats', idleMs: 1_000, gather, log, run: () => foldStats(db, DELTAS) });
}

function steppingOf({ db, versions, enrolment, queueMessages }: FlowWorkerDeps): SteppingDeps {
  const zones = createCompanyCache(db, versions, findTimeZone);
  return {
    loadContacts,
    changeContacts,
    changeMemberships: (tx, companyId, changes, now) =>
      changeMemberships(tx, companyId, changes, now, { at: now, source: 'flow', ip: null }),
    findLists: findListSettings,
    queueMessages,
    flowsIn: enrolment.flowsIn,
    enter,
    graphsOf: createGraphs(),
    zoneOf: async (tx, companyId) => zones.peek(companyId) ?? zones.at(tx, companyId, await versionIn(tx, companyId)),
  };
}
