import pg from 'pg';
import type { Statement } from './sql.ts';
import { retraced, Turn } from './turn.ts';

/**
 * A few connections that many callers share: statements are sent without waiting for earlier answers, and those of one
 * turn of the event loop leave in one write. Each statement is its own transaction.
 */
export interface Pipelines {
  query<Row>(statement: Statement): Promise<Row[]>;
  close(): Promise<void>;
}

interface Slot {
  client: pg.Client;
  ready: Promise<void>;
  inFlight: number;
  broken: boolean;
}

export function createPipelines(
  settings: pg.ClientConfig,
  count: number,
  onError: (error: Error) => void = () => {},
): Pipelines {
  const slots: (Slot | undefined)[] = new Array(count).fill(undefined);
  let closed = false;

  function open(): Slot {
    const client = new pg.Client(settings);
    const slot: Slot = { client, ready: client.connect().then(() => {}), inFlight: 0, broken: false };
    client.on('error', (error) => {
      slot.broken = true;
      onError(error);
    });
    client.on('end', () => {
      slot.broken = true;
    });
    slot.ready.catch(() => {
      slot.broken = true;
    });
    return slot;
  }

  /** The least busy connection; a broken one is replaced. */
  function pick(): Slot {
    let best: Slot | undefined;
    for (let i = 0; i < count; i++) {
      let slot = slots[i];
      if (slot === undefined || slot.broken) {
        slot = open();
        slots[i] = slot;
      }
      if (slot.inFlight === 0) return slot;
      if (best === undefined || slot.inFlight < best.inFlight) best = slot;
    }
    return best!;
  }

  return {
    async query<Row>(statement: Statement): Promise<Row[]> {
      if (closed) throw new Error('The database pool is closed');
      const slot = pick();
      slot.inFlight++;
      try {
        await slot.ready;
        const turn = new Turn();
        const answer = turn.add(statement);
        corkForThisTurn(slot.client);
        slot.client.query(turn);
        return (await answer).rows as Row[];
      } catch (error) {
        throw retraced(error);
      } finally {
        slot.inFlight--;
      }
    },
    async close() {
      closed = true;
      const open = slots.filter((slot): slot is Slot => slot !== undefined && !slot.broken);
      await Promise.all(open.map((slot) => slot.ready.then(() => slot.client.end()).catch(() => {})));
    },
  };
}

const corked = new WeakSet<pg.Client>();

/** One write for all statements of this turn of the event loop, instead of one each: fewer system calls under load. */
export function corkForThisTurn(client: pg.Client): void {
  if (corked.has(client)) return;
  corked.add(client);
  const { stream } = client.connection;
  stream.cork();
  setImmediate(() => {
    corked.delete(client);
    stream.uncork();
  });
}
