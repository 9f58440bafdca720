import { constraintOf, type Tx } from '../../../db/pool.ts';
import { loadMemberships } from '../../lists/service.ts';
import { moveFormerKeys } from '../erasure/queries.ts';
import { keysOf } from '../keys.ts';
import { moveLastActivity } from '../last-activity/queries.ts';
import { lockKeys, lockMergesShared } from '../lock-queries.ts';
import * as queries from '../queries.ts';
import { insertActivity } from '../timeline/activity-queries.ts';
import type { Plan } from '../upsert/plan.ts';
import * as dependents from './dependents-queries.ts';
import { mergeMemberships } from './membership-queries.ts';

/**
 * Merges the plan's losers into its contact: transfers everything that refers to them, and deletes their rows. The caller then writes the
 * contact's own row, once the losers' keys are free.
 * See docs/design/contacts.md.
 */
export async function mergeInto(tx: Tx, companyId: number, plan: Plan, now: Date): Promise<void> {
  const slot = plan.slot!;
  const winner = slot.id!;
  const losers = plan.losers.map((loser) => loser.id!);
  // The losers' keys. Locked after rows, against the usual order: two merges may deadlock, which the database detects, and
  // one of them is retried.
  await lockKeys(tx, companyId, plan.losers.flatMap((loser) => keysOf(loser.current)).sort());
  // First, since it waits for workers that are executing the runs: what they write until then is moved as well.
  await moveRuns(tx, companyId, losers, winner, now);
  // Waits for a part of an audience that is being written, so that its messages are seen below; the next part waits.
  await lockMergesShared(tx, companyId);
  await dependents.moveDependents(tx, companyId, losers, winner);
  await moveLastActivity(tx, companyId, losers, winner);
  await dependents.moveHoldOuts(tx, companyId, losers, winner);
  await dependents.keepOneOfEachCampaign(tx, companyId, winner, now);
  await mergeMemberships(tx, companyId, losers, winner, now);
  await moveFormerKeys(tx, companyId, losers, winner);
  await queries.deleteContacts(tx, companyId, losers);
  await insertActivity(
    tx,
    companyId,
    losers.map((contactId) => ({ contactId: winner, type: 'merged', data: { contact_id: contactId }, at: now })),
  );
  slot.lists = (await loadMemberships(tx, companyId, [winner])).get(winner) ?? [];
}

/** Each flow that the contact enters during the merge requires another attempt. */
const MAX_ATTEMPTS = 5;

async function moveRuns(tx: Tx, companyId: number, from: number[], into: number, now: Date): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await tx.savepoint(async () => {
        await dependents.exitSecondRuns(tx, companyId, [into, ...from], now);
        await dependents.moveRuns(tx, companyId, from, into);
      });
    } catch (error) {
      if (constraintOf(error) !== 'flow_runs_live' || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}
