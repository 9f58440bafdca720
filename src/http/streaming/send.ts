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
  { onError, onEnd, stallMs = STALL_MS }: SendOptions,
): Readable {
  async function* watched(): AsyncGenerator<string | Uint8Array> {
    let timer: NodeJS.Timeout | undefined;
    try {
      for await (const piece of pieces) {
        timer = setTimeout(() => stream.destroy(new Stalled('The client takes nothing')), stallMs);
        yield piece;
        clearTimeout(timer);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  const stream = Readable.from(watched(), { objectMode: false, highWaterMark: WAITING_BYTES });
  stream.once('error', (error) => {
    if (!(error instanceof Stalled)) onError(error);
  });
  stream.once('close', onEnd);
  return stream;
}
