import { Readable } from 'node:stream';

/** Maximum bytes waiting for the client, in addition to the piece being written. */
const WAITING_BYTES = 65_536;
/** A client that reads nothing for this long has gone, or blocks a slot. */
const STALL_MS = 30_000;

export interface SendOptions {
  /** Called if the response ended early through no fault of the client. */
  onError: (error: unknown) => void;
  /** Called once, however the response ended. */
  onEnd: () => void;
  /** Closes the source of the pieces. Called when the stream is destroyed, even if nothing was read or a piece is still awaited. */
  close?: (() => Promise<void>) | undefined;
  /** Time limit for the whole response. */
  limitMs?: number | undefined;
  stallMs?: number;
}

/** The client read nothing for too long. */
class Stalled extends Error {}

/**
 * Converts the pieces to a stream. The next piece is requested once the client has read the previous ones, and none after the stream is
 * destroyed, which the server does when the client disconnects.
 */
export function streamOf(
  pieces: AsyncIterable<string | Uint8Array>,
  { onError, onEnd, close, limitMs, stallMs = STALL_MS }: SendOptions,
): Readable {
  const iterator = pieces[Symbol.asyncIterator]();
  let isFilling = false;
  let stall: NodeJS.Timeout | undefined;

  /** Fills the buffer up to its limit. */
  async function fill(): Promise<void> {
    let isHungry = true;
    while (isHungry && !stream.destroyed) {
      const next = await iterator.next();
      if (stream.destroyed) return;
      isHungry = stream.push(next.done === true ? null : next.value);
    }
    isFilling = false;
    if (!stream.destroyed) stall = setTimeout(() => stream.destroy(new Stalled('The client takes nothing')), stallMs);
  }

  // A generator that has not started ends without its `finally`, and one that awaits something ends only after it: hence `close`.
  async function end(): Promise<void> {
    await Promise.all([close?.(), iterator.return?.()]);
  }

  const stream = new Readable({
    highWaterMark: WAITING_BYTES,
    read() {
      clearTimeout(stall);
      if (isFilling) return;
      isFilling = true;
      fill().catch((error: Error) => stream.destroy(error));
    },
    destroy(error, done) {
      clearTimeout(stall);
      clearTimeout(limit);
      end().then(
        () => done(error),
        (failure: Error) => done(error ?? failure),
      );
    },
  });
  const limit =
    limitMs === undefined
      ? undefined
      : setTimeout(() => stream.destroy(new Error(`It was not taken whole within ${limitMs / 1_000} s`)), limitMs);
  stream.once('error', (error) => {
    if (!(error instanceof Stalled)) onError(error);
  });
  stream.once('close', onEnd);
  return stream;
}
