import { ApiError, ConnectionError, RedirectError } from './errors.ts';

export interface ClientOptions extends ConnectionOptions {
  /** Address of the server, without a path: `https://shop.example.com`. */
  origin: string;
  /** An API key. Keys belong on servers, never in a page. */
  apiKey: string;
  /** For the marketing API, as `X-Company-ID`. */
  companyId?: number;
}

/** How requests are sent. */
export interface ConnectionOptions {
  /** Retries of a request that failed for a temporary reason; 4 if absent. */
  retries?: number;
  /** Timeout of each attempt; 30,000 if absent. */
  timeoutMs?: number;
  /** Longest pause between two attempts; 30,000 where absent. A `Retry-After` beyond it ends the attempts. */
  maxRetryDelayMs?: number;
  /** Replaces the global fetch. */
  fetch?: typeof fetch;
  /** Sent with every request. */
  headers?: Record<string, string>;
}

export type Sender = ConnectionOptions & Pick<ClientOptions, 'origin'>;

export interface OutgoingRequest {
  method: string;
  /** Includes the API's prefix and the query. */
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
  signal: AbortSignal | undefined;
}

export interface RawResponse {
  status: number;
  headers: Headers;
  /** Parsed where it is JSON, else the text. */
  body: unknown;
}

const FIRST_DELAY_MS = 250;
/** The API's own temporary errors are 429 and 500; the others come from proxies. */
const PASSING = new Set([429, 500, 502, 503, 504]);

/**
 * Sends a request until it succeeds or fails permanently. A POST or PATCH is retried with the same Idempotency-Key, so
 * that it takes effect once; GET, PUT and DELETE are idempotent by nature. Throws ApiError, ConnectionError,
 * RedirectError, or the reason of `signal`.
 */
export async function send(options: Sender, request: OutgoingRequest): Promise<RawResponse> {
  const { retries = 4, maxRetryDelayMs = 30_000 } = options;
  for (let attempt = 0; ; attempt++) {
    const outcome = await once(options, request);
    if (!(outcome instanceof Error)) return outcome;
    if (attempt >= retries || !mayPass(outcome)) throw outcome;
    const asked = outcome instanceof ApiError ? outcome.retryAfter : null;
    const backoff = Math.min(maxRetryDelayMs, FIRST_DELAY_MS * 2 ** attempt);
    // Jitter over the upper half: many clients that were refused together do not retry together.
    const delay = asked === null ? backoff * (0.5 + Math.random() / 2) : asked * 1000;
    if (delay > maxRetryDelayMs) throw outcome;
    await pause(delay, request.signal);
  }
}

/** Returns the response of one attempt, or the reason why there is none. */
async function once(options: Sender, request: OutgoingRequest): Promise<RawResponse | ApiError | ConnectionError> {
  const { method, headers, body, signal } = request;
  signal?.throwIfAborted();
  const limit = AbortSignal.timeout(options.timeoutMs ?? 30_000);
  try {
    const response = await (options.fetch ?? fetch)(options.origin + request.path, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      // Not followed: a POST would become a GET, and the key would be sent to whoever is there.
      redirect: 'manual',
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    });
    const { status } = response;
    // In browsers a redirect is a response without a status.
    if (response.type === 'opaqueredirect' || (status >= 300 && status < 400)) {
      const place = response.headers.get('location') ?? 'another address';
      throw new RedirectError(`The server redirects to ${place}: set \`origin\` to that server`);
    }
    const parsed = parse(await response.text());
    return response.ok
      ? { status, headers: response.headers, body: parsed }
      : new ApiError({ status, headers: response.headers, body: parsed });
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof RedirectError) throw error;
    const reason = limit.aborted ? 'No response in time' : 'The server could not be reached';
    return new ConnectionError(`${method} ${request.path.split('?')[0]}: ${reason}`, { cause: error });
  }
}

function mayPass(error: ApiError | ConnectionError): boolean {
  if (error instanceof ConnectionError) return true;
  // The first attempt is still in progress: its response will be available in a moment.
  return PASSING.has(error.status) || error.code === 'idempotency_key_in_use';
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal!.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
