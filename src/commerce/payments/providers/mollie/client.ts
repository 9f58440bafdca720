import { createMollieClient, MollieApiError } from '@mollie/api-client';
import { type DeclineCode, type Outcome, type ProviderAccount, ProviderUnavailable } from '../provider.ts';

export type Mollie = ReturnType<typeof createMollieClient>;

const MESSAGE_LENGTH = 300;

export interface MollieAddress {
  /** Where the API is; null: at its own address. */
  url: string | null;
  timeoutMs: number;
}

/** What the SDK keeps to itself. Each of its resources calls `request` of the one network client. */
interface Network {
  request(path: string, options?: Readonly<Record<string, unknown>>): Promise<unknown>;
}

/**
 * Returns a client whose requests end when the signal is aborted, at the latest after `timeoutMs`. The SDK has neither time-out nor signal,
 * repeats a request up to twice after a 5xx, each time after a pause, and uses an agent that refuses `http:`. So its one function that sends
 * requests is wrapped: node-fetch gets the signal, which closes the connection, and stops further repetitions; and the race against the
 * signal ends a pause.
 */
export function connect(
  { url, timeoutMs }: MollieAddress,
  { secretKey }: ProviderAccount,
  signal: AbortSignal,
): Mollie {
  const client = createMollieClient(
    url === null ? { apiKey: secretKey } : { apiKey: secretKey, apiEndpoint: url.endsWith('/') ? url : `${url}/` },
  );
  const network = (client.payments as unknown as { networkClient?: { networkClient?: Partial<Network> } }).networkClient
    ?.networkClient;
  const request = network?.request;
  if (network === undefined || request === undefined) {
    throw new Error('This version of @mollie/api-client sends requests in another way');
  }
  const ended = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const transport = url?.startsWith('http:') ? { signal: ended, agent: undefined } : { signal: ended };
  network.request = (path, options = {}) => before(ended, () => request(path, { ...options, ...transport }));
  return client;
}

async function before<T>(ended: AbortSignal, send: () => Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const end = (): void => reject(new ProviderUnavailable('Mollie: no response in time'));
  if (ended.aborted) end();
  else ended.addEventListener('abort', end, { once: true });
  try {
    return await Promise.race([promise, ended.aborted ? promise : send()]);
  } finally {
    ended.removeEventListener('abort', end);
  }
}

/** Status codes that say nothing of the operation: of the key, of other requests under way, of load. */
const UNCERTAIN = new Set([401, 403, 408, 409, 425, 429]);

/** The fields of a request that the means of payment depends on. */
const METHOD_FIELDS = new Set(['method', 'mandateId', 'customerId', 'sequenceType', 'captureMode']);

/** Returns the outcome of a write that failed. */
export function outcomeOf(
  error: unknown,
  account: ProviderAccount,
): Extract<Outcome<never>, { kind: 'declined' | 'uncertain' }> {
  const status = statusOf(error);
  if (status === null || status < 400 || status > 499 || UNCERTAIN.has(status)) {
    return { kind: 'uncertain', cause: causeOf(error, account) };
  }
  const field = error instanceof MollieApiError ? error.field : undefined;
  return {
    kind: 'declined',
    code: codeOf(field, messageOf(error)),
    message: redacted(messageOf(error), account),
    retry: false,
  };
}

function codeOf(field: string | undefined, message: string): DeclineCode {
  if (field !== undefined && METHOD_FIELDS.has(field)) return 'method_unavailable';
  if (field?.startsWith('amount') && /\b(maximum|minimum|higher|lower)\b/i.test(message)) return 'limit_exceeded';
  return 'other';
}

/** Returns the HTTP status of an error of Mollie; null: there was no response, or one that is not Mollie's. */
export function statusOf(error: unknown): number | null {
  return error instanceof MollieApiError ? (error.statusCode ?? null) : null;
}

/** Returns what went wrong, for people who run the shop, without the key. */
export function causeOf(error: unknown, account: ProviderAccount): string {
  const status = statusOf(error);
  const message = messageOf(error).replace(/^Mollie: /, '');
  return redacted(`Mollie: ${status === null ? '' : `${status} `}${message}`, account);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** node-fetch quotes a header that it refuses, and that is the key. */
function redacted(text: string, { secretKey }: ProviderAccount): string {
  return (secretKey === '' ? text : text.replaceAll(secretKey, '[key]')).slice(0, MESSAGE_LENGTH);
}
