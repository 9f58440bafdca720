import type { CompanyVersions } from '../../access/company-versions.ts';
import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db, Tx } from '../../db/pool.ts';
import { AppError, invalidField, notFound, validationFailed } from '../../errors.ts';
import { refusedUrl } from '../../outbox/safe-fetch.ts';
import type { FlowPatch, FlowRecord, NewFlow, TestBody } from './contract.ts';
import { checkShape } from './definition/check.ts';
import { checkReferences, checkUrls, type KnowsType } from './definition/check-references.ts';
import type { Definition } from './definition/definition.ts';
import { mergeDefinition } from './definition/definition.ts';
import { textErrors, textsOf } from './definition/liquid-texts.ts';
import { freeze } from './definition/versions.ts';
import { createEnrolment, type Enrolment } from './enrolment/enrolment.ts';
import { enter } from './enrolment/entering.ts';
import { forgetMissedEvents } from './enrolment/missed-event-queries.ts';
import { retry } from './execution/retry.ts';
import { beginTask } from './execution/tasks.ts';
import { LIBRARY } from './library/library.ts';
import * as queries from './queries.ts';
import { flowReads, getRun, recordsOf } from './report/service.ts';
import { DEED_TO, type FlowDeed, mayDo, TRANSITIONS } from './status.ts';
import { testFlow } from './trial/service.ts';

export { listFlows } from './report/service.ts';
export { countSent } from './report/stats.ts';

export interface FlowsDeps {
  db: Db;
  versions: CompanyVersions;
  knowsType: KnowsType;
  config: { allowPrivateWebhooks: boolean };
  /** Why each template can be rendered for nobody; null where it may be. */
  syntaxFailures: (
    companyId: number,
    templates: string[],
  ) => Promise<({ error: string; line: number | null } | null)[]>;
}

/** The flows to begin with, as they are shown. */
export function listLibrary() {
  return { library: LIBRARY.map(({ definition, ...flow }) => ({ ...flow, ...definition })) };
}

type RunDetail = Awaited<ReturnType<typeof getRun>>;

export interface FlowsService extends ReturnType<typeof flowReads> {
  /** Walks through a flow as it is now, and writes nothing. Throws not_found, validation_failed. */
  testFlow(companyId: number, id: number, input: TestBody, now: Date): ReturnType<typeof testFlow>;
  /** What events of a transaction mean for flows; the last thing that is done in it. Gives flows started, by event_id. */
  onEvents: Enrolment['onEvents'];
  enrolment: Enrolment;
  create(caller: Caller, input: NewFlow): Promise<FlowRecord>;
  createFromLibrary(caller: Caller, libraryName: string, name?: string): Promise<FlowRecord>;
  update(caller: Caller, id: number, patch: FlowPatch): Promise<FlowRecord>;
  remove(caller: Caller, id: number): Promise<{ flow_id: number; deleted: true }>;
  /** Activates, pauses or archives; a flow that is so already stays as it is. */
  move(caller: Caller, id: number, deed: FlowDeed): Promise<FlowRecord>;
  duplicate(caller: Caller, id: number): Promise<FlowRecord>;
  /** Moves live runs to the newest version, where their step is in it. */
  migrate(
    caller: Caller,
    id: number,
  ): Promise<{ flow_id: number; version: number; migrated: number; pending: boolean }>;
  /** Lets contacts enter: the given ones, else those whose events came while the flow was paused. */
  enroll(
    caller: Caller,
    id: number,
    input: { contact_ids?: number[]; event_data?: Record<string, unknown> },
  ): Promise<{ flow_id: number; enrolled: number; skipped: number; pending: boolean }>;
  retryRun(caller: Caller, runId: number): Promise<RunDetail>;
}

export function createFlowsService({ db, versions, knowsType, config, syntaxFailures }: FlowsDeps): FlowsService {
  const enrolment = createEnrolment({ db, versions });

  async function requireType(companyId: number, eventType: string): Promise<void> {
    if (await knowsType(companyId, eventType)) return;
    throw invalidField('trigger_type', `trigger_type is no event type: ${eventType}`, 'not_allowed');
  }

  async function requireTexts(companyId: number, steps: Definition['steps'] | undefined): Promise<void> {
    const texts = textsOf(steps ?? []);
    const failures = await syntaxFailures(
      companyId,
      texts.map(({ text }) => text),
    );
    const errors = textErrors(texts, failures);
    if (errors.length > 0) throw validationFailed(errors);
  }

  /** Freezes what the flow is now. Throws `validation_failed` where it cannot be walked. */
  async function frozen(tx: Tx, companyId: number, flow: queries.FlowRow, now: Date): Promise<queries.FlowRow> {
    const next = await freeze(tx, companyId, flow, now);
    const errors = [
      ...(await checkReferences(tx, companyId, flow.definition, knowsType)),
      ...checkUrls(flow.definition, (url) => refusedUrl(url, config.allowPrivateWebhooks)),
    ];
    if (errors.length > 0) throw validationFailed(errors);
    return next;
  }

  /** The flow after a deed, its row not yet written; what follows for its runs is. */
  async function moved(tx: Tx, companyId: number, flow: queries.FlowRow, deed: FlowDeed, now: Date) {
    if (!mayDo(deed, flow.status)) {
      throw new AppError('bad_request', `A flow that is ${flow.status} cannot be made ${TRANSITIONS[deed].to}`);
    }
    const { to } = TRANSITIONS[deed];
    if (flow.status === to) return flow;
    const next: queries.FlowRow = { ...flow, status: to, updated_at: now };
    return deed === 'activate' ? frozen(tx, companyId, next, now) : next;
  }

  /** Writes the flow, and does what its new state means for its runs. */
  async function settle(tx: Tx, companyId: number, before: queries.FlowRow, after: queries.FlowRow, now: Date) {
    if (after === before) return;
    await queries.updateFlow(tx, companyId, after);
    if (after.status === before.status) return;
    if (after.status === 'active')
      await beginTask(tx, companyId, { flow_id: after.id, kind: 'resume' }, enrolment, now);
    if (after.status === 'archived')
      await beginTask(tx, companyId, { flow_id: after.id, kind: 'exit' }, enrolment, now);
  }

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
      const flow = await queries.insertFlow(tx, companyId, {
        name: input.name,
        triggerType: input.trigger_type,
        definition,
        now,
      });
      const made = input.status === 'active' ? await moved(tx, companyId, flow, 'activate', now) : flow;
      await settle(tx, companyId, flow, made, now);
      return recordOf(tx, companyId, made);
    });
  }

  return {
    ...flowReads(db),
    testFlow: (companyId, id, input, now) => testFlow(db.points(companyId), companyId, id, input, now),
    onEvents: enrolment.onEvents,
    enrolment,

    create: (caller, input) => create(caller, input, mergeDefinition(null, partsOf(input))),

    async createFromLibrary(caller, libraryName, name) {
      const found = LIBRARY.find((flow) => flow.library_name === libraryName);
      if (found === undefined) throw notFound(`flow in the library: ${libraryName}`);
      const { trigger_type, definition } = structuredClone(found);
      return create(caller, { name: name ?? found.name, trigger_type }, definition);
    },

    async update(caller, id, patch) {
      const { companyId, now } = caller;
      await requireTexts(companyId, patch.steps);
      if (patch.trigger_type !== undefined) await requireType(companyId, patch.trigger_type);
      return write(db, caller, async (tx) => {
        const flow = await lockFlow(tx, companyId, id);
        let edited = editedFlow(flow, patch, now);
        if (edited !== flow && flow.status === 'active') edited = await frozen(tx, companyId, edited, now);
        const deed = patch.status === undefined ? null : DEED_TO[patch.status];
        if (deed === null && patch.status !== undefined && patch.status !== flow.status) {
          throw new AppError('bad_request', `A flow that is ${flow.status} cannot be made ${patch.status}`);
        }
        if (deed !== null) edited = await moved(tx, companyId, edited, deed, now);
        const migrates = patch.apply_to === 'all' && (edited.status === 'active' || edited.status === 'paused');
        if (migrates) edited = await frozen(tx, companyId, edited, now);
        await settle(tx, companyId, flow, edited, now);
        if (migrates) await beginTask(tx, companyId, { flow_id: id, kind: 'migrate' }, enrolment, now);
        return recordOf(tx, companyId, edited);
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

    async move(caller, id, deed) {
      const { companyId, now } = caller;
      return write(db, caller, async (tx) => {
        const flow = await lockFlow(tx, companyId, id);
        const after = await moved(tx, companyId, flow, deed, now);
        await settle(tx, companyId, flow, after, now);
        return recordOf(tx, companyId, after);
      });
    },

    async duplicate(caller, id) {
      return write(db, caller, async (tx) => {
        const { name, trigger_type, definition } = await lockFlow(tx, caller.companyId, id);
        const copy = { name: `Copy of ${name}`.slice(0, 255), triggerType: trigger_type, definition, now: caller.now };
        return recordOf(tx, caller.companyId, await queries.insertFlow(tx, caller.companyId, copy));
      });
    },

    async migrate(caller, id) {
      const { companyId, now } = caller;
      return write(db, caller, async (tx) => {
        const flow = await lockFlow(tx, companyId, id);
        const { done, more } = await beginTask(tx, companyId, { flow_id: id, kind: 'migrate' }, enrolment, now);
        return { flow_id: id, version: flow.version, migrated: done, pending: more };
      });
    },

    async enroll(caller, id, input) {
      const { companyId, now } = caller;
      return write(db, caller, async (tx) => {
        const row = await lockFlow(tx, companyId, id);
        const flow = (await enrolment.flowsIn(tx, companyId)).byId.get(id);
        if (!flow?.active)
          throw new AppError('bad_request', `A flow that is ${row.status} enrolls nobody: activate it`);
        if (input.contact_ids === undefined) {
          const { done, skipped, more } = await beginTask(
            tx,
            companyId,
            { flow_id: id, kind: 'enroll' },
            enrolment,
            now,
          );
          return { flow_id: id, enrolled: done, skipped, pending: more };
        }
        await requireContacts(tx, companyId, input.contact_ids);
        const { triggerType: event_type } = flow;
        const data = input.event_data ?? {};
        const event = { event_id: null, event_type, occurred_at: now.toISOString(), data };
        const entrants = input.contact_ids.map((contactId) => ({ flow, contactId, event, hops: 0 }));
        const started = await enter(tx, companyId, entrants, now);
        return { flow_id: id, enrolled: started.length, skipped: entrants.length - started.length, pending: false };
      });
    },

    async retryRun(caller, runId) {
      return write(db, caller, async (tx) => {
        await retry(tx, caller.companyId, runId, caller.now);
        return getRun(tx, caller.companyId, runId);
      });
    },
  };
}

async function lockFlow(tx: Tx, companyId: number, id: number): Promise<queries.FlowRow> {
  const flow = await queries.lockFlow(tx, companyId, id);
  if (flow === undefined) throw notFound(`flow ${id}`);
  return flow;
}

async function recordOf(tx: Tx, companyId: number, flow: queries.FlowRow): Promise<FlowRecord> {
  return (await recordsOf(tx, companyId, [flow]))[0]!;
}

/** The flow with what the patch gives; the very same object where that is nothing. */
function editedFlow(flow: queries.FlowRow, patch: FlowPatch, now: Date): queries.FlowRow {
  const parts = partsOf(patch);
  const { name = flow.name, trigger_type = flow.trigger_type } = patch;
  const given = [patch.name, patch.trigger_type, ...Object.values(parts)].some((part) => part !== undefined);
  if (!given) return flow;
  const definition = mergeDefinition(flow.definition, parts);
  const errors = checkShape(definition);
  if (errors.length > 0) throw validationFailed(errors);
  return { ...flow, name, trigger_type, definition, updated_at: now };
}

function partsOf(input: NewFlow | FlowPatch): Partial<Definition> {
  const { trigger_conditions, steps, connections, reentry, exit_on, goal, quiet_hours } = input;
  return { trigger_conditions, steps, connections, reentry, exit_on, goal, quiet_hours };
}

async function requireContacts(tx: Tx, companyId: number, ids: number[]): Promise<void> {
  const known = await queries.existingContacts(tx, companyId, ids);
  const errors = ids.flatMap((id, i) => {
    const field = `contact_ids.${i}`;
    return known.has(id) ? [] : [{ field, code: 'not_found', message: `${field} names no contact: ${id}` }];
  });
  if (errors.length > 0) throw validationFailed(errors);
}
