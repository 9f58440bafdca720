import { isStorableJson, storable } from '../../../../lib/storable.ts';
import type { SafeRequest, SafeResponse } from '../../../../net/safe-fetch.ts';
import type { Config } from '../../definition/steps.ts';

/** The request of a webhook step, and the interpretation of its response: pure functions, without the call itself. */

/** Renders texts with Liquid, in order; throws if one cannot be rendered. */
export type RenderTexts = (texts: string[]) => Promise<string[]>;

export const HAS_LIQUID = /\{\{|\{%/;

/**
 * The request of a step, with Liquid in the URL and in the body's texts rendered. Without a configured body, `fallback`
 * is sent. `key` is the Idempotency-Key, the same for every attempt.
 */
export async function requestOf(
  config: Config<'webhook'>,
  fallback: Record<string, unknown>,
  key: string,
  render: RenderTexts,
): Promise<SafeRequest> {
  const { method = 'POST', headers = {} } = config;
  const body = method === 'GET' || method === 'DELETE' ? config.body : (config.body ?? fallback);
  const texts: string[] = [];
  collect([config.url, body === fallback ? null : body], texts);
  const rendered = texts.length === 0 ? [] : await render(texts);
  const [url, filledBody] = fill([config.url, body === fallback ? null : body], rendered.values()) as [string, unknown];
  const content = body === fallback ? fallback : filledBody;
  const own = { 'content-type': 'application/json', 'user-agent': 'Tradeloom', 'idempotency-key': key };
  const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return {
    url,
    method,
    headers: { ...own, ...given, 'idempotency-key': key },
    ...(content == null ? {} : { body: typeof content === 'string' ? content : JSON.stringify(content) }),
  };
}

function collect(value: unknown, texts: string[]): void {
  if (typeof value === 'string') {
    if (HAS_LIQUID.test(value)) texts.push(value);
  } else if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) collect(inner, texts);
  }
}

/** Replaces the value's Liquid texts by the rendered ones, in the order of `collect`. */
function fill(value: unknown, rendered: Iterator<string>): unknown {
  if (typeof value === 'string') return HAS_LIQUID.test(value) ? (rendered.next().value as string) : value;
  if (Array.isArray(value)) return value.map((inner) => fill(inner, rendered));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fill(inner, rendered)]));
}

/**
 * The response in the form in which rules and templates see it under the step's save_as. JSON that PostgreSQL cannot store (NUL, a
 * lone surrogate, too deep nesting) is kept as text.
 */
export function savedResponse({ status, type, body }: SafeResponse): { status: number; body: unknown } {
  if (body === null) return { status, body };
  const text = storable(body);
  if (!(type === 'application/json' || type.endsWith('+json'))) return { status, body: text };
  try {
    const value: unknown = JSON.parse(body);
    return { status, body: isStorableJson(value) ? value : text };
  } catch {
    return { status, body: text };
  }
}

const RETRY_SECONDS = [10, 60, 300];
/** The longest wait between two attempts, in seconds. */
export const LONGEST_RETRY_SECONDS = Math.max(...RETRY_SECONDS);

/** Seconds until the next attempt after `attempts` attempts; null if there is none. */
export function retryDelay(attempts: number): number | null {
  return RETRY_SECONDS[attempts - 1] ?? null;
}

/** Whether another attempt may succeed. */
export function isTransient(status: number): boolean {
  return status >= 500 || status === 408 || status === 425 || status === 429;
}
