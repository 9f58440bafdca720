import { setTimeout as sleep } from 'node:timers/promises';
import type { MasterKey } from '../access/master-key.ts';
import { type Clock, monotonicMs } from '../clock.ts';
import type { Db, Tx } from '../db/pool.ts';
import type { PersonKeys } from '../marketing/contacts/erasure/personal-texts.ts';
import * as journal from './journal-queries.ts';
import { type Erased, STEPS } from './steps.ts';

/*
 * The work behind an erasure. It begins when the person is unreachable: the contact's row is gone, the customer's is empty. Nobody
 * is held up, so that transactions which had found the person before may still write what they know. These are noted
 * (open_transactions). Everything is gone through in slices, each a short transaction that also notes how far it came; where one
 * of the noted transactions was open at the beginning, everything is gone through once more when it is over.
 */

export interface ErasureDeps {
  db: Db;
  clock: Clock;
  masterKey: MasterKey;
}

/** How long a slice goes on taking further pieces. */
const SLICE_MS = 30;
/** How long the work waits at its beginning for transactions that are under way: hardly any takes longer. */
const PATIENCE_MS = 250;
const POLL_MS = 10;
/** How long a request goes on with what the API does not show. */
const STAYS_MS = 500;

/**
 * Works until nothing that the API shows is of the person, whoever does it; of most people everything is done by then. A request
 * stays no longer than that for what is left.
 */
export async function searchAll(deps: ErasureDeps, companyId: number, id: number): Promise<void> {
  const until = monotonicMs() + PATIENCE_MS;
  while (!(await noteOpen(deps, companyId, id)) && monotonicMs() < until) await sleep(POLL_MS);
  const stays = monotonicMs() + STAYS_MS;
  for (;;) {
    const progress = await journal.progressOf(deps.db, companyId, id);
    if (progress === 'over' || (progress === 'hidden' && monotonicMs() > stays)) return;
    if ((await workOn(deps, companyId, id)) === 0) await sleep(POLL_MS);
  }
}

export function noteOpen({ db, clock }: ErasureDeps, companyId: number, id: number): Promise<boolean> {
  return journal.noteOpenTransactions(db, companyId, id, clock.now());
}

/** One slice of the work, of this erasure and those that stand where it does. Gives how many; 0 where another worker has it. */
export function workOn({ db, clock, masterKey }: ErasureDeps, companyId: number, id: number): Promise<number> {
  return db.tenantTx(companyId, async (tx) => {
    const rows = await journal.claimErasures(tx, companyId, id);
    if (rows.length === 0) return 0;
    const ids = rows.map((row) => row.id);
    const stop = await goOn(tx, erasedOf(companyId, rows, masterKey), rows[0]!);
    if (stop === null) await journal.endErasures(tx, companyId, ids, clock.now());
    else await journal.moveErasures(tx, companyId, ids, stop);
    return rows.length;
  });
}

interface Place {
  step: string;
  place: string;
}

/** Gives where it stopped, null at the end. */
async function goOn(tx: Tx, erased: Erased, from: Place): Promise<Place | null> {
  const until = monotonicMs() + SLICE_MS;
  let index = Math.max(
    0,
    STEPS.findIndex((step) => step.name === from.step),
  );
  let { place } = from;
  while (index < STEPS.length) {
    const step = STEPS[index]!;
    const stopped = await step.run(tx, erased, place);
    if (stopped === null) index++;
    place = stopped ?? '';
    if (monotonicMs() >= until && index < STEPS.length) return { step: STEPS[index]!.name, place };
  }
  return null;
}

/** What the rest is found by, as the journal keeps it until that is done. */
export function sealKeys(masterKey: MasterKey, keys: PersonKeys[]): Buffer {
  return masterKey.seal(JSON.stringify(keys));
}

function erasedOf(companyId: number, rows: journal.ErasureRow[], masterKey: MasterKey): Erased {
  return {
    companyId,
    contactIds: [...new Set(rows.flatMap((row) => row.contact_ids))],
    customerIds: [...new Set(rows.flatMap((row) => row.customer_id ?? []))],
    keys: rows.flatMap(({ texts }) => (texts === null ? [] : (JSON.parse(masterKey.open(texts)) as PersonKeys[]))),
    until: new Date(Math.max(...rows.map((row) => row.opened_at.getTime()))),
  };
}
