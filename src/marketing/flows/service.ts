import type { CompanyVersions } from '../../access/company-versions.ts';
import type { RequireConfirmed } from '../../access/sessions.ts';
import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db, Tx } from '../../db/pool.ts';
import { AppError, notFound, validationFailed } from '../../errors.ts';
import { problem, wrong } from '../../lib/validation/problems.ts';
import { type IfMatch, requireRevision } from '../../lib/validation/revision.ts';
import { confirmNewSenders, type IsOwnSender, type Senders } from '../senders.ts';
import { activationWarnings } from './activation-warnings.ts';
import { checkShape } from './definition/check.ts';
import { type Definition, mergeDefinition } from './definition/definition.ts';
import { readGraphs } from './definition/versions.ts';
import { type EnrollResult, enroll } from './enrolment/enroll.ts';
import { createEnrolment, type Enrolment } from './enrolment/enrolment.ts';
import { forgetMissedEvents } from './enrolment/queries.ts';
import { retry } from './execution/retry.ts';
import type { Move } from './execution/tasks/moving.ts';
import { beginTask } from './execution/tasks/tasks.ts';
import { LIBRARY } from './library/library.ts';
import { createLifecycle, editedFlow, type LifecycleDeps, lockFlow, partsOf } from './lifecycle.ts';
import * as queries from './queries.ts';
import { flowReads, getRun, recordsOf, requireFlow } from './report/service.ts';
import type { FlowPatch, FlowRecord, NewFlow } from './schemas.ts';
import { ACTION_TO, type FlowAction } from './status.ts';
import type { TestBody } from './trial/contract.ts';
import { testFlow } from './trial/service.ts';
import { confirmNewHosts } from './webhook-hosts.ts';

export { removeLogs, removeRuns } from './execution/removal-queries.ts';
export { createOrderMessages } from './library/order-messages.ts';
export { listFlows } from './report/service.ts';
export { countSent } from './report/stats.ts';
export { findFlowOfSegment } from './triggers/segment-queries.ts';

export interface FlowsDeps extends Omit<LifecycleDeps, 'enrolment'> {
  db: Db;
  versions: CompanyVersions;
  isOwnSender: IsOwnSender;
}

/** The flows of the library as the API shows them. */
export function listLibrary() {
  return {
    library: LIBRARY.map(({ definition, ...flow }) => ({
      ...flow,
      ...definition,
      trigger_settings: definition.trigger_settings ?? null,
    })),
  };
}

type RunDetail = Awaited<ReturnType<typeof getRun>>;

export interface FlowsService extends ReturnType<typeof flowReads> {
  /** Simulates a flow in its current state, and writes nothing. Throws not_found, validation_failed. */
  testFlow(companyId: number, id: number, input: TestBody, now: Date): ReturnType<typeof testFlow>;
  /** Starts and wakes runs for the events of a transaction, as its last work. Returns the started flows by event_id. */
  onEvents: Enrolment['onEvents'];
  enrolment: Enrolment;
  /** Throws validation_failed, confirmation_required. */
  create(caller: Caller, input: NewFlow, requireConfirmed: RequireConfirmed): Promise<FlowRecord>;
  createFromLibrary(caller: Caller, libraryName: string, name?: string): Promise<FlowRecord>;
  /** Throws not_found, revision_mismatch, validation_failed, confirmation_required, bad_request. */
  update(
    caller: Caller,
    id: number,
    patch: FlowPatch,
    ifMatch: IfMatch | null,
    requireConfirmed: RequireConfirmed,
  ): Promise<FlowRecord>;
  remove(caller: Caller, id: number): Promise<{ flow_id: number; deleted: true }>;
  /** Activates, pauses or archives; changes nothing if the flow has that status already. */
  changeStatus(caller: Caller, id: number, action: FlowAction): Promise<FlowRecord>;
  duplicate(caller: Caller, id: number): Promise<FlowRecord>;
  /** Migrates live runs to the newest version if it has their step or `moves` has a destination for them. */
  migrate(
    caller: Caller,
    id: number,
    moves?: Move[],
  ): Promise<{ flow_id: number; version: number; migrated: number; pending: boolean }>;
  /** Enrolls the given contacts, or else those whose events arrived while the flow was paused. */
  enroll(
    caller: Caller,
    id: number,
    input: { contact_ids?: number[]; event_data?: Record<string, unknown> },
  ): Promise<EnrollResult>;
  retryRun(caller: Caller, runId: number): Promise<RunDetail>;
}

export function createFlowsService({ db, versions, isOwnSender, ...deps }: FlowsDeps): FlowsService {
  const enrolment = createEnrolment({ db, versions });
  const { requireType, requireTexts, frozen, withStatus, settle } = createLifecycle({ ...deps, enrolment });

  async function create(
    caller: Caller,
    input: { name: string; trigger_type: string; status?: 'draft' | 'active' },
    definition: Definition,
  ): Promise<FlowRecord> {
    const { companyId, now } = caller;
    const errors = checkShape(definition);
    if (errors.length > 0) throw validationFailed(errors);
    await requireTexts(companyId, definition.steps);
    await requireType(companyId, input.trigger_type);
    return write(db, caller, async (tx) => {
      const { name, trigger_type: triggerType } = input;
      const flow = await queries.insertFlow(tx, companyId, { name, triggerType, definition, now });
      const created = input.status === 'active' ? await withStatus(tx, companyId, flow, 'activate', now) : flow;
      return recordOf(tx, companyId, await settle(tx, companyId, flow, created, now), flow);
    });
  }

  async function confirmSteps(
    companyId: number,
    { before, after }: { before: Definition['steps']; after: Definition['steps'] },
    requireConfirmed: RequireConfirmed,
  ): Promise<void> {
    confirmNewHosts({ before, after }, requireConfirmed);
    const senders = { before: sendersOf(before), after: sendersOf(after) };
    await confirmNewSenders(isOwnSender, companyId, senders, requireConfirmed);
  }

  return {
    ...flowReads(db),
    testFlow: (companyId, id, input, now) => testFlow(db.points(companyId), companyId, id, input, now),
    onEvents: enrolment.onEvents,
    enrolment,

    async create(caller, input, requireConfirmed) {
      await confirmSteps(caller.companyId, { before: [], after: input.steps ?? [] }, requireConfirmed);
      return create(caller, input, mergeDefinition(null, partsOf(input)));
    },

    async createFromLibrary(caller, libraryName, name) {
      const found = LIBRARY.find((flow) => flow.library_name === libraryName);
      if (found === undefined) throw notFound(`flow in the library: ${libraryName}`);
      const { trigger_type, definition } = structuredClone(found);
      return create(caller, { name: name ?? found.name, trigger_type }, definition);
    },

    async update(caller, id, patch, ifMatch, requireConfirmed) {
      const { companyId, now } = caller;
      if (patch.steps !== undefined && requireConfirmed !== null) {
        const { definition } = await requireFlow(db.points(companyId), companyId, id);
        await confirmSteps(companyId, { before: definition.steps, after: patch.steps }, requireConfirmed);
      }
      await requireTexts(companyId, patch.steps);
      if (patch.trigger_type !== undefined) await requireType(companyId, patch.trigger_type);
      return write(db, caller, async (tx) => {
        const flow = await lockFlow(tx, companyId, id);
        requireRevision(ifMatch, flow.revision);
        let edited = editedFlow(flow, patch, now);
        if (edited !== flow && flow.status === 'active') edited = await frozen(tx, companyId, edited, now);
        const action = patch.status === undefined ? null : ACTION_TO[patch.status];
        if (action === null && patch.status !== undefined && patch.status !== flow.status) {
          throw new AppError('bad_request', `A flow that is ${flow.status} cannot be made ${patch.status}`);
        }
        if (action !== null) edited = await withStatus(tx, companyId, edited, action, now);
        const migrates = patch.apply_to === 'all' && (edited.status === 'active' || edited.status === 'paused');
        if (migrates) edited = await frozen(tx, companyId, edited, now);
        const written = await settle(tx, companyId, flow, edited, now);
        if (migrates) await beginTask(tx, companyId, { flow_id: id, kind: 'migrate' }, enrolment, now);
        return recordOf(tx, companyId, written, flow);
      });
    },

    async remove(caller, id) {
      const { companyId, now } = caller;
      return write(db, caller, async (tx) => {
        await lockFlow(tx, companyId, id);
        await queries.markDeleted(tx, companyId, id, now);
        await forgetMissedEvents(tx, companyId, id);
        await beginTask(tx, companyId, { flow_id: id, kind: 'exit' }, enrolment, now);
        return { flow_id: id, deleted: true as const };
      });
    },

    async changeStatus(caller, id, action) {
      const { companyId, now } = caller;
      return write(db, caller, async (tx) => {
        const flow = await lockFlow(tx, companyId, id);
        const after = await withStatus(tx, companyId, flow, action, now);
        return recordOf(tx, companyId, await settle(tx, companyId, flow, after, now), flow);
      });
    },

    async duplicate(caller, id) {
      return write(db, caller, async (tx) => {
        const { name, trigger_type, definition } = await lockFlow(tx, caller.companyId, id);
        const copy = { name: `Copy of ${name}`.slice(0, 255), triggerType: trigger_type, definition, now: caller.now };
        return recordOf(tx, caller.companyId, await queries.insertFlow(tx, caller.companyId, copy));
      });
    },

    async migrate(caller, id, moves = []) {
      const { companyId, now } = caller;
      return write(db, caller, async (tx) => {
        const flow = await lockFlow(tx, companyId, id);
        await requireMoves(tx, companyId, flow, moves);
        const { done, more } = await beginTask(tx, companyId, { flow_id: id, kind: 'migrate', moves }, enrolment, now);
        return { flow_id: id, version: flow.version, migrated: done, pending: more };
      });
    },

    async enroll(caller, id, input) {
      return write(db, caller, async (tx) =>
        enroll(tx, caller, await lockFlow(tx, caller.companyId, id), input, enrolment),
      );
    },

    async retryRun(caller, runId) {
      return write(db, caller, async (tx) => {
        await retry(tx, caller.companyId, runId, caller.now);
        return getRun(tx, caller.companyId, runId);
      });
    },
  };
}

function sendersOf(steps: Definition['steps']): Senders {
  return steps.flatMap(({ type, config }) =>
    type === 'send_email' && typeof config?.from === 'string' ? config.from : [],
  );
}

/** With warnings if the flow has just become active. */
async function recordOf(
  tx: Tx,
  companyId: number,
  flow: queries.FlowRow,
  before: queries.FlowRow = flow,
): Promise<FlowRecord> {
  const record = (await recordsOf(tx, companyId, [flow]))[0]!;
  if (flow.status !== 'active' || before.status === 'active') return record;
  return { ...record, warnings: await activationWarnings(tx, companyId, flow) };
}

/** Throws `validation_failed` for a destination that the newest version lacks, and for two entries for one step. */
async function requireMoves(tx: Tx, companyId: number, flow: queries.FlowRow, moves: Move[]): Promise<void> {
  if (moves.length === 0) return;
  const pair = { flowId: flow.id, version: flow.version };
  const graph = (await readGraphs(tx, companyId, [pair])).get(`${flow.id}:${flow.version}`);
  const errors = moves.flatMap(({ step_id, to }, i) => [
    ...(to === null || graph?.steps.has(to)
      ? []
      : [wrong(`moves.${i}.to`, problem('no_step_of_newest', { name: to }))]),
    ...(moves.findIndex((one) => one.step_id === step_id) === i
      ? []
      : [wrong(`moves.${i}.step_id`, problem('moved_twice', { name: step_id }))]),
  ]);
  if (errors.length > 0) throw validationFailed(errors);
}
