import type { Tx } from '../../db/pool.ts';
import { AppError, notFound, validationFailed } from '../../errors.ts';
import { problem, wrong } from '../../lib/validation/problems.ts';
import { refusedUrl } from '../../net/safe-fetch.ts';
import { checkShape } from './definition/check.ts';
import { checkReferences, checkUrls, type KnowsType } from './definition/check-references.ts';
import { type Definition, mergeDefinition } from './definition/definition.ts';
import { textErrors, textsOf } from './definition/liquid-texts.ts';
import { freeze } from './definition/versions.ts';
import type { Enrolment } from './enrolment/enrolment.ts';
import { beginTask } from './execution/tasks/tasks.ts';
import * as queries from './queries.ts';
import type { FlowPatch, NewFlow } from './schemas.ts';
import { type FlowAction, isAllowed, TRANSITIONS } from './status.ts';

export interface LifecycleDeps {
  knowsType: KnowsType;
  config: { allowPrivateWebhooks: boolean };
  /** Returns, for each template, why it can never be rendered; null if it may be. */
  syntaxFailures: (
    companyId: number,
    templates: string[],
  ) => Promise<({ error: string; line: number | null } | null)[]>;
  enrolment: Enrolment;
}

/** The life of a flow from its creation through its versions and statuses. */
export function createLifecycle({ knowsType, config, syntaxFailures, enrolment }: LifecycleDeps) {
  /** Throws `validation_failed` for an unknown event type. */
  async function requireType(companyId: number, eventType: string): Promise<void> {
    if (await knowsType(companyId, eventType)) return;
    throw validationFailed([wrong('trigger_type', problem('not_event_type', { name: eventType }), 'not_allowed')]);
  }

  /** Throws `validation_failed` for texts of messages that can never be rendered. */
  async function requireTexts(companyId: number, steps: Definition['steps'] | undefined): Promise<void> {
    const texts = textsOf(steps ?? []);
    const failures = await syntaxFailures(
      companyId,
      texts.map(({ text }) => text),
    );
    const errors = textErrors(texts, failures);
    if (errors.length > 0) throw validationFailed(errors);
  }

  /** Freezes the flow's definition as a version. Throws `validation_failed` if no run could execute it. */
  async function frozen(tx: Tx, companyId: number, flow: queries.FlowRow, now: Date): Promise<queries.FlowRow> {
    const next = await freeze(tx, companyId, flow, now);
    const errors = [
      ...(await checkReferences(tx, companyId, flow.definition, knowsType)),
      ...checkUrls(flow.definition, (url) => refusedUrl(url, config.allowPrivateWebhooks)),
    ];
    if (errors.length > 0) throw validationFailed(errors);
    return next;
  }

  /** Returns the flow after the action, unwritten; writes a new version. Throws `bad_request` if the action is not allowed. */
  async function withStatus(
    tx: Tx,
    companyId: number,
    flow: queries.FlowRow,
    action: FlowAction,
    now: Date,
  ): Promise<queries.FlowRow> {
    const { to } = TRANSITIONS[action];
    if (!isAllowed(action, flow.status)) {
      throw new AppError('bad_request', `A flow that is ${flow.status} cannot be made ${to}`);
    }
    if (flow.status === to) return flow;
    const next: queries.FlowRow = { ...flow, status: to, updated_at: now };
    return action === 'activate' ? frozen(tx, companyId, next, now) : next;
  }

  /** Writes the flow, and resumes or ends its runs if its status has changed. Returns it as written. */
  async function settle(
    tx: Tx,
    companyId: number,
    before: queries.FlowRow,
    after: queries.FlowRow,
    now: Date,
  ): Promise<queries.FlowRow> {
    if (after === before) return after;
    const written = await queries.updateFlow(tx, companyId, after);
    if (after.status === before.status) return written;
    if (after.status === 'active')
      await beginTask(tx, companyId, { flow_id: after.id, kind: 'resume' }, enrolment, now);
    if (after.status === 'archived')
      await beginTask(tx, companyId, { flow_id: after.id, kind: 'exit' }, enrolment, now);
    return written;
  }

  return { requireType, requireTexts, frozen, withStatus, settle };
}

/** Locks the flow until the transaction ends. Throws `not_found`. */
export async function lockFlow(tx: Tx, companyId: number, id: number): Promise<queries.FlowRow> {
  const flow = await queries.lockFlow(tx, companyId, id);
  if (flow === undefined) throw notFound(`flow ${id}`);
  return flow;
}

/** The flow with the patch applied; the same object if the patch is empty. */
export function editedFlow(flow: queries.FlowRow, patch: FlowPatch, now: Date): queries.FlowRow {
  const parts = partsOf(patch);
  const { name = flow.name, trigger_type = flow.trigger_type } = patch;
  const given = [patch.name, patch.trigger_type, ...Object.values(parts)].some((part) => part !== undefined);
  if (!given) return flow;
  const definition = mergeDefinition(flow.definition, parts);
  const errors = checkShape(definition);
  if (errors.length > 0) throw validationFailed(errors);
  return { ...flow, name, trigger_type, definition, updated_at: now };
}

export function partsOf(input: NewFlow | FlowPatch): Partial<Definition> {
  const { trigger_conditions, trigger_settings, steps, connections, reentry, exit_on, goal, quiet_hours } = input;
  return { trigger_conditions, trigger_settings, steps, connections, reentry, exit_on, goal, quiet_hours };
}
