import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { streamOf } from '../streaming/send.ts';
import type { ApiResponse, Endpoint } from './endpoint.ts';
import type { Surface } from './surfaces/surface.ts';

/** Placeholder for the data in an envelope; it cannot occur in JSON. */
const PLACEHOLDER = '\u0000';

/** The text before and after the data of a successful response. */
export interface Envelope {
  before: string;
  after: string;
}

export function envelopeOf(surface: Surface, endpoint: Endpoint, response: ApiResponse, requestId: string): Envelope {
  const [before, after] = surface.success(endpoint, PLACEHOLDER, response, requestId).split(PLACEHOLDER);
  return { before: before!, after: after! };
}

/**
 * Returns a short response as one text. A long one is a stream: other requests are served between two pieces, and the next piece is made
 * once the client has taken the previous ones.
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
