import { Readable } from 'node:stream';

/** Bytes that wait for the client at most, beside the piece that is being written. */
const WAITING_BYTES = 65_536;
/** A client that takes nothing for so long has gone, or keeps a place from others. */
const STALL_MS = 30_000;

export interface SendOptions {
  /** The response ended before it was whole, through no fault of the client's. */
  onError: (error: unknown) => void;
  /** Once, however it ended. */
  onEnd: () => void;
  /** Ends what the pieces are read from. Called when the stream is destroyed, also where nothing was read and while a piece is awaited. */
  close?: (() => Promise<void>) | undefined;
  /** So long the whole may take. */
  limitMs?: number | undefined;
  stallMs?: number;
}

/** The client took nothing for too long. */
class Stalled extends Error {}

/**
 * The pieces as a stream: the next one is asked for when the client has taken those before, and none any more once the stream is
 * destroyed, which the server does where the client goes away.
 */
export function streamOf(
  pieces: AsyncIterable<string | Uint8Array>,
  { onError, onEnd, close, limitMs, stallMs = STALL_MS }: SendOptions,
): Readable {
  const iterator = pieces[Symbol.asyncIterator]();
  let isFilling = false;
  let stall: NodeJS.Timeout | undefined;

  /** Until as much waits as may. */
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

  // A generator that has not begun ends without its `finally`, and one that awaits something ends after it: hence `close`.
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
