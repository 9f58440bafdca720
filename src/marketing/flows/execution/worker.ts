import type { Logger } from 'pino';
import { createCompanyCache } from '../../../access/company-cache.ts';
import { type CompanyVersions, versionIn } from '../../../access/company-versions.ts';
import type { Clock } from '../../../clock.ts';
import { isDataFault } from '../../../db/batching/batcher.ts';
import { type Db, type Queryable, sqlState, type Tx } from '../../../db/pool.ts';
import { rawSql, type Statement, sql } from '../../../db/sql.ts';
import { requestIdOf } from '../../../lib/tracing/correlation.ts';
import { tracingItems } from '../../../lib/tracing/item-spans.ts';
import type { SpanOptions } from '../../../lib/tracing/spans.ts';
import { eachCompany } from '../../../work/sets.ts';
import { createWorker, type Worker } from '../../../work/worker.ts';
import { changeContacts, loadContacts } from '../../contacts/service.ts';
import { changeMemberships, findListSettings } from '../../lists/service.ts';
import { createGraphs } from '../definition/versions.ts';
import { type Enrolment, enter } from '../enrolment/enrolment.ts';
import { findTimeZone } from '../queries.ts';
import { createDomainEvents, type DomainEventDeps, type FlowMessage, RunsRefused } from './effects.ts';
import * as queries from './queries.ts';
import { failRuns, type SteppingDeps, stepRuns } from './stepping.ts';
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

/** Advances runs that are due or have signals: the companies take turns, one set at a time. */
export function createFlowWorker(deps: FlowWorkerDeps): Worker {
  const { db, clock, log } = deps;
  const emit = createDomainEvents(deps);
  const workTask = createTasks(deps);
  const stepSet = createRunSets({ db, clock, log, stepping: steppingOf(deps) });

  async function takeTurn({ company_id: companyId, emissions, tasks }: CompanyWork): Promise<number> {
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
    nextDue: () => nextDueRun(db),
    async run(signal) {
      const companies = await companiesWithWork(db, clock.now());
      // A single company uses all lanes, with a set in each.
      const turns = companies.length === 1 ? Array<CompanyWork>(LANES).fill(companies[0]!) : companies;
      return eachCompany(turns, signal, takeTurn, LANES);
    },
  });
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

interface RunSetDeps {
  db: Db;
  clock: Clock;
  log: Logger;
  stepping: SteppingDeps;
}

/** A run of a set, with its correlation for the log. */
type Held = Pick<queries.RunRow, 'id' | 'correlation'>;

/** Locks the runs of a set. */
type Claim = (tx: Tx, now: Date) => Promise<queries.RunRow[]>;

/**
 * Steps runs in sets, one transaction per set. If a run makes its set fail, the transaction is rolled back, the
 * failing runs are found, by bisection if necessary, and advance one step per transaction. So each run fails alone, at
 * the step that fails, and keeps its earlier steps and signals.
 */
function createRunSets({ db, clock, log, stepping }: RunSetDeps) {
  /** Returns the number of claimed runs. */
  async function step(companyId: number, claim: Claim, steps?: 1): Promise<number> {
    let held: Held[] = [];
    try {
      await tracingItems('step flow run', spanOf(companyId), (begin) =>
        db.tenantTx(companyId, async (tx) => {
          const now = clock.now();
          const rows = begin(await claim(tx, now));
          held = rows.map(({ id, correlation }) => ({ id, correlation }));
          if (rows.length > 0) await stepRuns(tx, companyId, rows, stepping, now, steps);
        }),
      );
    } catch (error) {
      if (!isRunsFault(error) || held.length === 0) throw error;
      await isolate(companyId, held, error, steps);
    }
    return held.length;
  }

  async function isolate(companyId: number, held: Held[], error: unknown, steps?: 1): Promise<void> {
    const reasons = error instanceof RunsRefused ? error.reasons : new Map([[held[0]!.id, error]]);
    if (error instanceof RunsRefused || held.length === 1) {
      if (steps === 1) await fail(companyId, reasons, held);
      else await stepByStep(companyId, [...reasons.keys()]);
      return;
    }
    const middle = held.length >> 1;
    for (const half of [held.slice(0, middle), held.slice(middle)]) {
      const ids = half.map(({ id }) => id);
      await step(companyId, (tx) => queries.claimRuns(tx, companyId, ids), steps);
    }
  }

  async function stepByStep(companyId: number, ids: number[]): Promise<void> {
    const live = (tx: Tx): Promise<queries.RunRow[]> => queries.claimRuns(tx, companyId, ids);
    const due: Claim = async (tx, now) =>
      (await live(tx)).filter((row) => row.status === 'active' && row.due_at <= now);
    // The first pass also includes runs that only have signals; the others process due runs.
    let stepped = await step(companyId, live, 1);
    while (stepped > 0) stepped = await step(companyId, due, 1);
  }

  async function fail(companyId: number, reasons: ReadonlyMap<number, unknown>, held: Held[]): Promise<void> {
    const ids = [...reasons.keys()];
    const requestIds = held.filter(({ id }) => reasons.has(id)).map(({ correlation }) => requestIdOf(correlation));
    const runs = { company_id: companyId, run_ids: ids, request_ids: requestIds };
    log.error({ err: reasons.get(ids[0]!), ...runs }, 'flow runs failed');
    const failed = (some: number[], dropSignals: boolean): Promise<void> =>
      db.tenantTx(companyId, async (tx) => {
        const now = clock.now();
        const rows = await queries.claimRuns(tx, companyId, some);
        if (rows.length > 0) await failRuns(tx, companyId, rows, reasons, stepping, { now, dropSignals });
      });
    try {
      await failed(ids, false);
    } catch (error) {
      if (!isRunsFault(error)) throw error;
      // A signal of one of them cannot be stored. Dropping it is better than blocking all runs.
      log.error({ err: error, ...runs }, 'flow runs fail, and their signals are dropped');
      for (const id of ids) await failed([id], true);
    }
  }

  return (companyId: number, claim: Claim): Promise<number> => step(companyId, claim);
}

/**
 * Whether the content of runs caused the error: rejected effects, invalid data, a statement timeout. Lost connections and
 * deadlocks do not count.
 */
function isRunsFault(error: unknown): boolean {
  const state = sqlState(error);
  return error instanceof RunsRefused || state.startsWith('21') || (isDataFault(error) && !state.startsWith('40'));
}

function spanOf(companyId: number): (row: queries.RunRow) => SpanOptions {
  return ({ id, flow_id, version, step_id }) => ({
    kind: 'consumer',
    attributes: {
      'tradeloom.company.id': companyId,
      'tradeloom.flow.id': flow_id,
      'tradeloom.flow.version': version,
      'tradeloom.run.id': id,
      // The step of the run; null before the first step.
      ...(step_id === null ? {} : { 'tradeloom.step.id': step_id }),
    },
  });
}

/** The first due run of each company, by one index lookup each. */
const FIRST_DUE = sql`first_due as (
  (select company_id, due_at from flow_runs where status = 'active' order by company_id, due_at limit 1)
  union all
  select next.* from first_due cross join lateral (
    select company_id, due_at from flow_runs where status = 'active' and company_id > first_due.company_id
    order by company_id, due_at limit 1) next
)`;

/** A company with due runs, signals, events or tasks of flows. */
interface CompanyWork {
  company_id: number;
  emissions: boolean;
  tasks: boolean;
}

/** Costs one index lookup per company in each of the tables. */
export function companiesWithWork(db: Db, now: Date): Promise<CompanyWork[]> {
  return db.query<CompanyWork>(sql`
    with recursive ${FIRST_DUE},
    found as (
      select company_id, 'run' as kind from first_due where due_at <= ${now}
      union select company_id, 'signal' from ${companiesIn('flow_signals')} s
      union select company_id, 'emission' from ${companiesIn('flow_emissions')} e
      union select company_id, 'task' from ${companiesIn('flow_tasks')} t
    )
    select company_id, bool_or(kind = 'emission') as emissions, bool_or(kind = 'task') as tasks
    from found group by company_id order by company_id`);
}

/** When the next run, or postponed task or event, comes due in any company. */
export async function nextDueRun(db: Queryable): Promise<Date | null> {
  const rows = await db.query<{ due_at: Date | null }>(sql`
    with recursive ${FIRST_DUE}
    select min(due_at) as due_at from (
      select due_at from first_due
      union all select due_at from flow_tasks where attempts > 0
      union all select due_at from flow_emissions where attempts > 0
    ) moments`);
  return rows[0]!.due_at;
}

function companiesIn(table: 'flow_signals' | 'flow_emissions' | 'flow_tasks'): Statement {
  const name = rawSql(table);
  return sql`(
    with recursive present as (
      (select company_id from ${name} order by company_id limit 1)
      union all
      select (select company_id from ${name} t where t.company_id > present.company_id order by company_id limit 1)
      from present where present.company_id is not null
    )
    select company_id from present where company_id is not null)`;
}
