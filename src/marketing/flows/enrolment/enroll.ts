import type { Caller } from '../../../caller.ts';
import type { Tx } from '../../../db/pool.ts';
import { AppError, validationFailed } from '../../../errors.ts';
import { correlationOf } from '../../../lib/tracing/correlation.ts';
import { beginTask } from '../execution/tasks/tasks.ts';
import * as queries from '../queries.ts';
import { type Enrolment, enter } from './enrolment.ts';

export interface EnrollResult {
  flow_id: number;
  enrolled: number;
  skipped: number;
  /** Whether the worker enrolls more in the background. */
  pending: boolean;
}

/**
 * Enrolls the given contacts, or else those whose events arrived while the flow was paused. The caller has locked the
 * flow. Throws `bad_request` for a flow that is not active, `validation_failed` for unknown contacts.
 */
export async function enroll(
  tx: Tx,
  caller: Caller,
  row: queries.FlowRow,
  input: { contact_ids?: number[]; event_data?: Record<string, unknown> },
  enrolment: Enrolment,
): Promise<EnrollResult> {
  const { companyId, now } = caller;
  const correlation = correlationOf(caller);
  const flow = (await enrolment.flowsIn(tx, companyId)).byId.get(row.id);
  if (!flow?.active)
    throw new AppError('bad_request', `Only active flows can enroll contacts; this flow is ${row.status}`);
  if (input.contact_ids === undefined) {
    const task = { flow_id: row.id, kind: 'enroll' } as const;
    const { done, skipped, more } = await beginTask(tx, companyId, task, enrolment, now);
    return { flow_id: row.id, enrolled: done, skipped, pending: more };
  }
  await requireContacts(tx, companyId, input.contact_ids);
  const { triggerType: event_type } = flow;
  const data = input.event_data ?? {};
  const event = { event_id: null, event_type, occurred_at: now.toISOString(), data };
  const entrants = input.contact_ids.map((contactId) => ({ flow, contactId, event, correlation, hops: 0 }));
  const started = await enter(tx, companyId, entrants, now);
  return { flow_id: row.id, enrolled: started.length, skipped: entrants.length - started.length, pending: false };
}

async function requireContacts(tx: Tx, companyId: number, ids: number[]): Promise<void> {
  const known = await queries.existingContacts(tx, companyId, ids);
  const errors = ids.flatMap((id, i) => {
    const field = `contact_ids.${i}`;
    return known.has(id) ? [] : [{ field, code: 'not_found', message: `${field}: unknown contact: ${id}` }];
  });
  if (errors.length > 0) throw validationFailed(errors);
}
