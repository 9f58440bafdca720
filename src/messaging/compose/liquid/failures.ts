import { LiquidError } from 'liquidjs';
import { MAX_OUTPUT, MAX_TAGS, MAX_TEMPLATE } from './limits.ts';

export interface RenderFailure {
  ok: false;
  /** A sentence for the author of the template. */
  error: string;
  /** 1-based; null if it is not known where the template fails. */
  line: number | null;
  column: number | null;
  /**
   * Which limit was exceeded, if any. `time`: the rendering used more time than allowed; `size`: memory or length; `interrupted`: the thread
   * ended, possibly because of another template.
   */
  exceeded: 'time' | 'size' | 'interrupted' | null;
}

const LIMIT_MESSAGES: readonly [part: string, sentence: string, exceeded: 'time' | 'size'][] = [
  ['template render limit', 'The template takes too long to render', 'time'],
  ['memory alloc limit', 'The output of the template or a list in it is too large', 'size'],
  ['output limit', `The template renders to more than ${MAX_OUTPUT / 1024} KiB`, 'size'],
  ['parse length limit', `The template is longer than ${MAX_TEMPLATE / 1024} KiB`, 'size'],
  ['tag count limit', `The template has more than ${MAX_TAGS} tags`, 'size'],
  ['Invalid string length', 'The output of the template or a list in it is too large', 'size'],
  ['Maximum call stack', 'The template is nested too deeply', 'size'],
];

/** Extracts the message and the position from an error of LiquidJS; any other error is described in general terms. */
export function toFailure(error: unknown): RenderFailure {
  const [line, column] = LiquidError.is(error) ? error.token.getPosition() : [null, null];
  const cause = LiquidError.is(error) ? (error.originalError ?? error) : error;
  const message = cause instanceof Error ? cause.message.replace(/, line:\d+, col:\d+$/, '') : 'unknown error';
  const known = LIMIT_MESSAGES.find(([part]) => message.includes(part));
  return { ok: false, error: known ? known[1] : message.slice(0, 300), line, column, exceeded: known?.[2] ?? null };
}
