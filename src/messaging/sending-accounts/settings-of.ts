import { isIP } from 'node:net';
import { type AppError, invalidField } from '../../errors.ts';
import { normaliseDomain } from '../../lib/addresses.ts';
import { PROVIDERS, type Provider, type ProviderSettings } from './accounts.ts';
import { SECRET_OF, type SendingAccountPatch } from './contract.ts';

/** Validates the account fields of a request on their own: provider, settings and secret. */

/** Values of absent fields. */
const DEFAULTS: { [P in Provider]: Partial<ProviderSettings[P]> } = {
  smtp: { port: 587, security: 'starttls' },
  ses: { configuration_set: null, api_url: null },
  sendgrid: { region: 'global', api_url: null },
  postmark: { message_stream: 'outbound', api_url: null },
  mailgun: { region: 'us', api_url: null },
  twilio: { api_url: null },
};
const REQUIRED: { [P in Provider]: readonly (keyof ProviderSettings[P])[] } = {
  smtp: ['host', 'username'],
  ses: ['region', 'access_key'],
  sendgrid: [],
  postmark: [],
  mailgun: ['domain'],
  twilio: ['account_sid'],
};
/** A change to these fields would send the secret to another place, or use it for another account. */
const DESTINATION: { [P in Provider]: readonly string[] } = {
  smtp: ['host', 'port', 'username', 'security'],
  ses: ['region', 'access_key', 'api_url'],
  sendgrid: ['region', 'api_url'],
  postmark: ['api_url'],
  mailgun: ['region', 'domain', 'api_url'],
  twilio: ['account_sid', 'api_url'],
};

export interface GivenAccount {
  provider: Provider;
  settings: ProviderSettings[Provider];
  /** null: unchanged. */
  secret: string | null;
}

/** Returns the provider whose fields a request contains; null for none. Throws validation_failed for several. */
export function providerIn(input: SendingAccountPatch): Provider | null {
  const given = PROVIDERS.filter((provider) => input[provider] !== undefined);
  if (given.length > 1) throw invalidField(given[1]!, `Only one of ${PROVIDERS.join(', ')} can be given`);
  return given[0] ?? null;
}

/** Returns a new account of a provider. Throws validation_failed. */
export function newAccount(provider: Provider, input: SendingAccountPatch): GivenAccount & { secret: string } {
  const { secret, fields } = split(provider, input);
  if (secret === null) throw missing(provider, SECRET_OF[provider]);
  return { provider, settings: settingsOf(provider, fields, {}), secret };
}

/** Returns the existing settings with the changes applied. Throws validation_failed. */
export function changedAccount(
  provider: Provider,
  before: ProviderSettings[Provider],
  input: SendingAccountPatch,
): GivenAccount {
  const { secret, fields } = split(provider, input);
  const settings = settingsOf(provider, fields, before);
  const moved = DESTINATION[provider].some((field) => fieldOf(settings, field) !== fieldOf(before, field));
  if (moved && secret === null) {
    const name = `${provider}.${SECRET_OF[provider]}`;
    throw invalidField(name, `${name} must be given anew, since it would go elsewhere than before`, 'required');
  }
  return { provider, settings, secret };
}

function split(
  provider: Provider,
  input: SendingAccountPatch,
): { secret: string | null; fields: Record<string, unknown> } {
  const { [SECRET_OF[provider]]: secret, ...fields }: Record<string, unknown> = input[provider] ?? {};
  return { secret: typeof secret === 'string' ? secret : null, fields };
}

function settingsOf(provider: Provider, fields: object, before: object): ProviderSettings[Provider] {
  const settings = { ...DEFAULTS[provider], ...before, ...fields } as ProviderSettings[Provider];
  for (const field of REQUIRED[provider]) if (fieldOf(settings, field) === undefined) throw missing(provider, field);
  if (provider === 'smtp') {
    const smtp = settings as ProviderSettings['smtp'];
    return { ...smtp, host: checkedHost('smtp.host', smtp.host) };
  }
  if (provider === 'mailgun') {
    const mailgun = settings as ProviderSettings['mailgun'];
    return { ...mailgun, domain: checkedDomain('mailgun.domain', mailgun.domain) };
  }
  return settings;
}

function fieldOf(settings: object, field: string): unknown {
  return (settings as Record<string, unknown>)[field];
}

function checkedHost(field: string, text: string): string {
  const host = text.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 && host !== 'localhost' ? checkedDomain(field, host) : host;
}

function checkedDomain(field: string, text: string): string {
  const domain = normaliseDomain(text.replace(/\.$/, ''));
  if (domain === null) throw invalidField(field, `${field} must be the name of a host`, 'wrong_format');
  return domain;
}

function missing(provider: Provider, field: string): AppError {
  return invalidField(`${provider}.${field}`, `${provider}.${field} is required`, 'required');
}
