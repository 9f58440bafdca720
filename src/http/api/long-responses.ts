import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { streamOf } from '../streaming/send.ts';
import type { ApiResponse, Endpoint } from './endpoint.ts';
import type { Surface } from './surfaces/surface.ts';

/** Stands for the data in an envelope; no JSON text contains it. */
const PLACEHOLDER = '\u0000';

/** What is before the data of a successful response, and what is behind. */
export interface Envelope {
  before: string;
  after: string;
}

export function envelopeOf(surface: Surface, endpoint: Endpoint, response: ApiResponse, requestId: string): Envelope {
  const [before, after] = surface.success(endpoint, PLACEHOLDER, response, requestId).split(PLACEHOLDER);
  return { before: before!, after: after! };
}

/**
 * A short response as one text. A long one is sent while it is made: others are served between two pieces, and the next is made
 * when the client has taken those before.
 */
export function bodyOf(
  pieces: Generator<string, void>,
  { before, after }: Envelope,
  onError: (error: unknown) => void,
): string | Readable {
  const first = pieces.next().value ?? '';
  const second = pieces.next();
  if (second.done === true) return before + first + after;
  return streamOf(inTurns([before + first, second.value], pieces, after), { onError, onEnd: () => {} });
}

async function* inTurns(made: string[], pieces: Iterable<string>, after: string): AsyncGenerator<string> {
  for (const some of [made, pieces]) {
    for (const piece of some) {
      yield piece;
      await setImmediate();
    }
  }
  if (after !== '') yield after;
}
