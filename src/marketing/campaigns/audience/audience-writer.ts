import { type Clock, monotonicMs } from '../../../clock.ts';
import type { Db, Tx } from '../../../db/pool.ts';
import { findCampaignForUpdate } from '../queries.ts';
import { writeChunk } from './audience.ts';
import * as ledger from './ledger-queries.ts';

/** How long the messages of one campaign are written before it is the next campaign's turn. */
const TURN_MS = 1_000;

interface AudienceWriterDeps {
  db: Db;
  clock: Clock;
  /** Called when new messages are in the ledger. */
  onWritten: () => void;
}

/**
 * Writes the messages of a started campaign into the ledger, chunk by chunk, while the sender already works on the first.
 * Returns how many chunks were written in this turn.
 */
export function createAudienceWriter({ db, clock, onWritten }: AudienceWriterDeps) {
  /**
   * Uses two transactions at once, since one keeps only one processor busy. Both take their connection before any lock, because
   * transactions that wait for those locks hold connections, too.
   */
  async function writeInTwo(companyId: number, id: number, written: ledger.Written): Promise<number> {
    return db.tenantTx(companyId, async (beside) => {
      await Promise.all([ledger.commitAsynchronously(beside), ledger.allowIdle(beside)]);
      let failure: unknown;
      return db.tenantTx(companyId, async (tx) => {
        // A retry of this transaction alone would find that the other one has ended: repeat both or neither.
        if (failure !== undefined) throw failure;
        try {
          return await writeNext(tx, beside, companyId, id, written);
        } catch (error) {
          failure = error;
          throw error;
        }
      });
    });
  }

  async function writeNext(
    tx: Tx,
    beside: Tx,
    companyId: number,
    id: number,
    written: ledger.Written,
  ): Promise<number> {
    const row = await findCampaignForUpdate(tx, companyId, id);
    const isActive = row?.status === 'sending' || row?.status === 'paused';
    if (!isActive || row.started_at === null || row.recipients !== null) return 0;
    await ledger.commitAsynchronously(tx);
    await writeChunk(tx, companyId, row, { now: clock.now(), written, beside });
    return 1;
  }

  /** Skips the check for existing messages at first: the next chunk has some only after a crash or a merge. */
  async function write(companyId: number, id: number): Promise<number> {
    try {
      return await writeInTwo(companyId, id, 'none');
    } catch (error) {
      if (!ledger.wereWritten(error)) throw error;
      return writeInTwo(companyId, id, 'some');
    }
  }

  return async function writeTurn(companyId: number, id: number): Promise<number> {
    const ends = monotonicMs() + TURN_MS;
    let chunks = 0;
    while (monotonicMs() < ends) {
      const written = await write(companyId, id);
      if (written === 0) break;
      chunks += written;
      onWritten();
    }
    return chunks;
  };
}
