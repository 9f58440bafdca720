import { setTimeout as sleep } from 'node:timers/promises';
import type { MasterKey } from '../access/master-key.ts';
import { type Clock, monotonicMs } from '../clock.ts';
import type { Db, Tx } from '../db/pool.ts';
import type { PersonKeys } from '../marketing/contacts/erasure/personal-texts.ts';
import * as journal from './journal-queries.ts';
import { type Erased, STEPS } from './steps.ts';

/*
 * The work of an erasure. It begins once the contact's row is deleted and the customer's row is empty. It blocks nobody, so transactions
 * that found the person before may still write personal data. These transactions are recorded (open_transactions). All tables are searched
 * in slices, each a short transaction that also stores its position. If a recorded transaction was still open at the beginning, everything
 * is searched once more after it has ended.
 */

export interface ErasureDeps {
  db: Db;
  clock: Clock;
  masterKey: MasterKey;
}

/** Duration of a slice. */
const SLICE_MS = 30;
/** How long the work first waits for open transactions: hardly any takes longer. */
const PATIENCE_MS = 250;
const POLL_MS = 10;
/** How long a request works on what the API does not show. */
const HIDDEN_MS = 500;

/**
 * Works, or waits for the worker that does, until the API shows nothing of the person. For most people everything is erased by then;
 * otherwise the request continues for `HIDDEN_MS` and leaves the rest to the worker.
 * See docs/design/erasure.md.
 */
export async function searchAll(deps: ErasureDeps, companyId: number, id: number): Promise<void> {
  const until = monotonicMs() + PATIENCE_MS;
  while (!(await noteOpen(deps, companyId, id)) && monotonicMs() < until) await sleep(POLL_MS);
  const hiddenUntil = monotonicMs() + HIDDEN_MS;
  for (;;) {
    const progress = await journal.progressOf(deps.db, companyId, id);
    if (progress === 'over' || (progress === 'hidden' && monotonicMs() > hiddenUntil)) return;
    if ((await workOn(deps, companyId, id)) === 0) await sleep(POLL_MS);
  }
}

export function noteOpen({ db, clock }: ErasureDeps, companyId: number, id: number): Promise<boolean> {
  return journal.noteOpenTransactions(db, companyId, id, clock.now());
}

/** Processes one slice of this erasure and of others at the same place. Returns the number of erasures; 0 if another worker holds it. */
export function workOn({ db, clock, masterKey }: ErasureDeps, companyId: number, id: number): Promise<number> {
  return db.tenantTx(companyId, async (tx) => {
    const rows = await journal.claimErasures(tx, companyId, id);
    if (rows.length === 0) return 0;
    const ids = rows.map((row) => row.id);
    const stop = await runSlice(tx, erasedOf(companyId, rows, masterKey), rows[0]!);
    if (stop === null) await journal.endErasures(tx, companyId, ids, clock.now());
    else await journal.moveErasures(tx, companyId, ids, stop);
    return rows.length;
  });
}

interface Place {
  step: string;
  place: string;
}

/** Returns where it stopped, null at the end. */
async function runSlice(tx: Tx, erased: Erased, from: Place): Promise<Place | null> {
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

/** Seals the keys by which the rest is found; the journal keeps them until the erasure is finished. */
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
