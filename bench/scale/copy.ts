import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type pg from 'pg';

/** What of a connection of `pg` COPY needs; its types leave it out. */
interface CopyConnection {
  stream: Writable;
  query(text: string): void;
  sync(): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(reason: string): void;
}

/** Rows of one COPY: triggers keep them until the statement ends. */
const ROWS = 200_000;
const BUFFER_CHARACTERS = 1 << 17;

/** Copies lines in the text format of COPY, several statements for many; returns their number. */
export async function copyRows(
  client: pg.ClientBase,
  table: string,
  columns: readonly string[],
  lines: Iterable<string>,
): Promise<number> {
  const iterator = lines[Symbol.iterator]();
  const statement = `copy ${table} (${columns.join(', ')}) from stdin`;
  let copied = 0;
  for (let first = iterator.next(); !first.done; first = iterator.next()) {
    copied += await copyPart(client, statement, first.value, iterator);
  }
  return copied;
}

function copyPart(client: pg.ClientBase, text: string, first: string, rest: Iterator<string>): Promise<number> {
  return new Promise((resolve, reject) => {
    let copied = 0;
    let failure: Error | null = null;
    const send = async (connection: CopyConnection): Promise<void> => {
      let buffer = first;
      copied = 1;
      while (copied < ROWS && failure === null) {
        const { value, done } = rest.next();
        if (done) break;
        buffer += value;
        copied++;
        if (buffer.length < BUFFER_CHARACTERS) continue;
        connection.sendCopyFromChunk(Buffer.from(buffer));
        buffer = '';
        if (connection.stream.writableNeedDrain) await once(connection.stream, 'drain');
      }
      if (failure !== null) return;
      if (buffer !== '') connection.sendCopyFromChunk(Buffer.from(buffer));
      connection.endCopyFrom();
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
      handleReadyForQuery: () => (failure === null ? resolve(copied) : reject(failure)),
      handleError: (error: Error) => {
        failure ??= error;
        reject(failure);
      },
    };
    client.query(copy as unknown as pg.Submittable);
  });
}
