import { MAX_CONNECTIONS, MAX_RATE, numberOf } from './parameters.ts';

const CONNECTIONS = 5;

interface SmsProvider {
  endpoint: URL;
  authorization: string | null;
  /** Identifies the provider and account; not secret. */
  name: string;
  rate: number | null;
  concurrency: number;
}

export function parseSmsUrl(text: string): SmsProvider {
  const endpoint = URL.parse(text);
  if (!endpoint || !['http:', 'https:'].includes(endpoint.protocol)) {
    throw new Error('SMS_URL must look like https://account:token@host/path');
  }
  const rate = numberOf(endpoint, 'SMS_URL', 'rate', MAX_RATE);
  const concurrency = numberOf(endpoint, 'SMS_URL', 'connections', MAX_CONNECTIONS) ?? CONNECTIONS;
  for (const ours of ['rate', 'connections']) if (endpoint.searchParams.has(ours)) endpoint.searchParams.delete(ours);
  const name = `${decodeURIComponent(endpoint.username)}@${endpoint.host}`;
  const credentials = `${decodeURIComponent(endpoint.username)}:${decodeURIComponent(endpoint.password)}`;
  endpoint.username = '';
  endpoint.password = '';
  return {
    endpoint,
    name,
    rate,
    concurrency,
    authorization: credentials === ':' ? null : `Basic ${Buffer.from(credentials).toString('base64')}`,
  };
}

/** Returns the account's token, with which the provider signs its requests; null if the URL has none. */
export function smsToken(url: string | null): string | null {
  const password = url === null ? '' : (URL.parse(url)?.password ?? '');
  return password === '' ? null : decodeURIComponent(password);
}
