import type { MasterKey } from '../../access/master-key.ts';
import { type HostGuard, RequestRefused } from '../../net/host-guard.ts';
import { allowedUrl } from '../../net/safe-fetch.ts';
import { createMailgunTransport } from '../send/transports/api/mailgun.ts';
import { createPostmarkTransport } from '../send/transports/api/postmark.ts';
import { createSendGridTransport } from '../send/transports/api/sendgrid.ts';
import { createSesTransport } from '../send/transports/api/ses.ts';
import { createUnusableTransport } from '../send/transports/missing.ts';
import type { LedgerKey, Transport } from '../send/transports/port.ts';
import { createSmsTransport } from '../send/transports/sms.ts';
import { createSmtpTransport } from '../send/transports/smtp.ts';
import { CHANNEL_OF, type ProviderSettings, type SealedAccount } from './accounts.ts';

export interface AccountTransportDeps {
  masterKey: Pick<MasterKey, 'open'>;
  guard: HostGuard;
  /** URL to which Twilio reports the status of a message; null: none. */
  receiptUrl(message: LedgerKey): string | null;
}

/** Concurrent requests if the account does not say. */
const CONNECTIONS = 10;
/** Ports at which mail services accept submissions. */
const SMTP_PORTS = new Set([25, 465, 587, 2465, 2525, 2587]);

/** Returns the transport of an account; if the account is unusable, one that accepts nothing and says why. */
export function createAccountTransport(
  companyId: number,
  account: SealedAccount,
  { masterKey, guard, receiptUrl }: AccountTransportDeps,
): Transport {
  const { id, provider } = account;
  const named = { name: provider, provider: rateKeyOf(companyId, id) };
  try {
    requireAllowed(account, guard);
    const secret = masterKey.open(Buffer.from(account.sealed_secret, 'base64'));
    return { ...transportOf(account, secret, { guard, receiptUrl }), ...named };
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'The account cannot be used';
    return { ...createUnusableTransport(CHANNEL_OF[provider], reason), ...named };
  }
}

/** The key for an account's rate limit, shared by all processes. */
export function rateKeyOf(companyId: number, id: number): string {
  return `account ${companyId}-${id}`;
}

function transportOf(
  account: SealedAccount,
  secret: string,
  { guard, receiptUrl }: Pick<AccountTransportDeps, 'guard' | 'receiptUrl'>,
): Transport {
  const { provider, rate } = account;
  const concurrency = account.connections ?? CONNECTIONS;
  const { lookup } = guard;
  const api = { provider, base: apiOf(account), rate, concurrency, lookup };
  const { settings } = account;
  if (provider === 'smtp') {
    return createSmtpTransport({
      url: smtpUrlOf(settings as ProviderSettings['smtp'], secret, { rate, concurrency }),
      lookup,
    });
  }
  if (provider === 'ses') {
    const {
      region,
      access_key: accessKeyId,
      configuration_set: configurationSet,
    } = settings as ProviderSettings['ses'];
    return createSesTransport({ ...api, region, accessKeyId, secretAccessKey: secret, configurationSet });
  }
  if (provider === 'sendgrid') return createSendGridTransport({ ...api, apiKey: secret });
  if (provider === 'postmark') {
    const { message_stream: messageStream } = settings as ProviderSettings['postmark'];
    return createPostmarkTransport({ ...api, serverToken: secret, messageStream });
  }
  if (provider === 'mailgun') {
    return createMailgunTransport({ ...api, apiKey: secret, domain: (settings as ProviderSettings['mailgun']).domain });
  }
  const { account_sid: sid } = settings as ProviderSettings['twilio'];
  const url = new URL(`${apiOf(account)}/2010-04-01/Accounts/${sid}/Messages.json`);
  url.username = sid;
  url.password = encodeURIComponent(secret);
  addLimits(url, { rate, concurrency });
  return createSmsTransport({ url: url.href, receiptUrl, lookup });
}

function smtpUrlOf(
  { host, port, username, security }: ProviderSettings['smtp'],
  password: string,
  limits: { rate: number | null; concurrency: number },
): string {
  const scheme = security === 'tls' ? 'smtps' : 'smtp';
  const credentials = `${encodeURIComponent(username)}:${encodeURIComponent(password)}`;
  const url = new URL(`${scheme}://${credentials}@${host.includes(':') ? `[${host}]` : host}:${port}`);
  if (security !== 'tls') url.searchParams.set('tls', security === 'starttls' ? 'required' : 'off');
  addLimits(url, limits);
  return url.href;
}

function addLimits(url: URL, { rate, concurrency }: { rate: number | null; concurrency: number }): void {
  url.searchParams.set('connections', String(concurrency));
  if (rate !== null) url.searchParams.set('rate', String(rate));
}

/** Returns the base URL of an account's API, without a trailing slash; '' for SMTP. */
function apiOf(account: SealedAccount): string {
  const own = 'api_url' in account.settings ? account.settings.api_url : null;
  if (own !== null) return own.replace(/\/+$/, '');
  switch (account.provider) {
    case 'ses':
      return `https://email.${account.settings.region}.amazonaws.com`;
    case 'sendgrid':
      return account.settings.region === 'eu' ? 'https://api.eu.sendgrid.com' : 'https://api.sendgrid.com';
    case 'postmark':
      return 'https://api.postmarkapp.com';
    case 'mailgun':
      return account.settings.region === 'eu' ? 'https://api.eu.mailgun.net' : 'https://api.mailgun.net';
    case 'twilio':
      return 'https://api.twilio.com';
    case 'smtp':
      return '';
  }
}

/** Throws RequestRefused if connecting to the account's server is not allowed, whatever addresses its name resolves to. */
export function requireAllowed(
  { provider, settings }: Pick<SealedAccount, 'provider' | 'settings'>,
  guard: Pick<HostGuard, 'allowPrivate' | 'requireHost'>,
): void {
  if (provider === 'smtp') {
    const { host, port, security } = settings as ProviderSettings['smtp'];
    guard.requireHost(host);
    if (guard.allowPrivate) return;
    if (!SMTP_PORTS.has(port)) throw new RequestRefused(`port must be one of ${[...SMTP_PORTS].join(', ')}`);
    if (security === 'none')
      throw new RequestRefused('security must be tls or starttls: the password would go in the clear');
    return;
  }
  if ('api_url' in settings && settings.api_url !== null) {
    const url = allowedUrl(settings.api_url, guard);
    if (url.search !== '' || url.hash !== '') throw new RequestRefused('api_url must have no query and no fragment');
  }
}
