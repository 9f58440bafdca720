import { constraintOf, type Tx } from '../../../db/pool.ts';
import { loadMemberships } from '../../lists/service.ts';
import { moveFormerKeys } from '../erasure/queries.ts';
import { keysOf } from '../keys.ts';
import { lockKeys, lockMergesShared } from '../lock-queries.ts';
import * as queries from '../queries.ts';
import { insertActivity } from '../timeline/activity-queries.ts';
import type { Plan } from '../upsert/plan.ts';
import * as dependents from './dependents-queries.ts';
import { mergeMemberships } from './membership-queries.ts';

/**
 * Makes the plan's losers part of its contact: what they did and their memberships move over, their rows go. The contact's own row is
 * written by the caller afterwards, when their keys are free.
 */
export async function mergeInto(tx: Tx, companyId: number, plan: Plan, now: Date): Promise<void> {
  const slot = plan.slot!;
  const winner = slot.id!;
  const losers = plan.losers.map((loser) => loser.id!);
  // Keys that the losers bring along. Taken after rows, against the order: two such merges that wait for each other are
  // found by the database, and one of them is run again.
  await lockKeys(tx, companyId, plan.losers.flatMap((loser) => keysOf(loser.current)).sort());
  // First, for it waits for workers that move the runs: what these have caused by then is moved as well.
  await moveRuns(tx, companyId, losers, winner, now);
  // The part of an audience that is being written is waited for, and seen; the next one waits.
  await lockMergesShared(tx, companyId);
  await dependents.moveDependents(tx, companyId, losers, winner);
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

/** Flows that the contact enters while it is being merged, one after the other: each makes the moving be done again. */
const MAX_TRIES = 5;

async function moveRuns(tx: Tx, companyId: number, from: number[], into: number, now: Date): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await tx.savepoint(async () => {
        await dependents.exitSecondRuns(tx, companyId, [into, ...from], now);
        await dependents.moveRuns(tx, companyId, from, into);
      });
    } catch (error) {
      if (constraintOf(error) !== 'flow_runs_live' || tries === MAX_TRIES) throw error;
    }
  }
}
