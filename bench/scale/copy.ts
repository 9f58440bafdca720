import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type pg from 'pg';
import { Row } from './row.ts';

/** Parts of a `pg` connection that COPY needs; its types leave them out. */
interface CopyConnection {
  stream: Writable;
  query(text: string): void;
  sync(): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(reason: string): void;
}

export interface Copied {
  rows: number;
  /** Seconds spent generating them. */
  generator: number;
}

/** Writes a row's fields between two iterations. */
export type Rows = (row: Row) => Iterable<void>;

export interface CopyTarget {
  table: string;
  columns: readonly string[];
  /** For a table that this transaction has truncated: its rows need no vacuum. */
  freeze?: boolean;
  /** Rows per COPY statement: triggers keep them in memory until the statement ends. */
  atMost?: number;
}

const ROWS = 200_000;

/** Copies rows, in several statements if they are many. */
export async function copyRows(client: pg.ClientBase, target: CopyTarget, rows: Rows): Promise<Copied> {
  const row = new Row();
  const iterator = rows(row)[Symbol.iterator]();
  const copied = { rows: 0, generator: 0 };
  const { atMost = ROWS } = target;
  for (let more = true; more; ) {
    const before = copied.rows;
    await copyPart(client, target, row, iterator, copied);
    more = copied.rows - before === atMost;
  }
  return copied;
}

function copyPart(
  client: pg.ClientBase,
  { table, columns, freeze = false, atMost = ROWS }: CopyTarget,
  row: Row,
  rest: Iterator<void>,
  copied: Copied,
): Promise<void> {
  const text = `copy ${table} (${columns.join(', ')}) from stdin (format binary${freeze ? ', freeze' : ''})`;
  return new Promise((resolve, reject) => {
    let failure: Error | null = null;
    const end = copied.rows + atMost;
    /** Writes rows until a chunk is full; false after the last. */
    const write = (): boolean => {
      while (!row.full && copied.rows < end) {
        const start = row.begin(columns.length);
        if (rest.next().done) {
          row.reset(start);
          return false;
        }
        copied.rows++;
      }
      return copied.rows < end;
    };
    const send = async (connection: CopyConnection): Promise<void> => {
      row.header();
      for (let more = true; more && failure === null; ) {
        const began = performance.now();
        more = write();
        if (!more) row.trailer();
        copied.generator += (performance.now() - began) / 1_000;
        connection.sendCopyFromChunk(row.take());
        if (connection.stream.writableNeedDrain) await once(connection.stream, 'drain');
      }
      if (failure === null) connection.endCopyFrom();
    };
    const copy = {
      submit: (connection: CopyConnection) => connection.query(text),
      handleCopyInResponse: (connection: CopyConnection) => {
        send(connection).catch((error: Error) => {
          failure = error;
          connection.sendCopyFail(error.message);
        });
      },
      handleCommandComplete: () => {},
      handleReadyForQuery: () => (failure === null ? resolve() : reject(failure)),
      handleError: (error: Error) => {
        failure ??= error;
        reject(failure);
      },
    };
    client.query(copy as unknown as pg.Submittable);
  });
}
