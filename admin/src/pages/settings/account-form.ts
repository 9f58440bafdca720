import type { Model } from '../../api/client.ts';
import type { paths } from '../../api/schema.ts';
import { t, tOf } from '../../i18n/i18n.ts';
import type { Field, Values } from '../../ui/form/values.ts';

export type SendingAccount = Model<'SendingAccount'>;
type Provider = SendingAccount['provider'];
type AccountBody = paths['/sending-accounts']['post']['requestBody']['content']['application/json'];

const PROVIDERS: readonly Provider[] = ['smtp', 'ses', 'sendgrid', 'postmark', 'mailgun', 'twilio'];

/** The fields of each provider, by their names in the API; the secret is the last. */
const FIELDS: Record<Provider, readonly { name: string; type?: Field['type']; choices?: readonly string[] }[]> = {
  smtp: [
    { name: 'host' },
    { name: 'port', type: 'number' },
    { name: 'security', type: 'choice', choices: ['starttls', 'tls', 'none'] },
    { name: 'username' },
    { name: 'password', type: 'password' },
  ],
  ses: [
    { name: 'region' },
    { name: 'access_key' },
    { name: 'configuration_set' },
    { name: 'secret_access_key', type: 'password' },
  ],
  sendgrid: [
    { name: 'region', type: 'choice', choices: ['global', 'eu'] },
    { name: 'api_key', type: 'password' },
  ],
  postmark: [{ name: 'message_stream' }, { name: 'server_token', type: 'password' }],
  mailgun: [
    { name: 'domain' },
    { name: 'region', type: 'choice', choices: ['us', 'eu'] },
    { name: 'api_key', type: 'password' },
  ],
  twilio: [{ name: 'account_sid' }, { name: 'auth_token', type: 'password' }],
};
const FIRST: Values = {
  provider: 'smtp',
  'smtp.port': '587',
  'smtp.security': 'starttls',
  'sendgrid.region': 'global',
  'postmark.message_stream': 'outbound',
  'mailgun.region': 'us',
};

function fieldsOf(provider: Provider, account: SendingAccount | null): Field[] {
  return FIELDS[provider].map(({ name, type = 'text', choices }): Field => {
    const isKept = account !== null && type === 'password';
    return {
      name: `${provider}.${name}`,
      label: tOf('accounts.field', name),
      type,
      when: (values) => values.provider === provider,
      ...(choices && { choices: choices.map((value) => ({ value, label: tOf('accounts.choice', value) })) }),
      ...(isKept && { help: t('accounts.secret.kept') }),
    };
  });
}

/** The fields of the form: for a new account those of every provider, for an existing one those of its own. */
export function accountFields(account: SendingAccount | null): Field[] {
  const choice: Field = {
    name: 'provider',
    label: t('accounts.provider'),
    type: 'choice',
    choices: PROVIDERS.map((value) => ({ value, label: tOf('accounts.of', value) })),
    required: true,
  };
  return [
    { name: 'name', label: t('accounts.name'), type: 'text', required: true },
    ...(account === null ? [choice] : []),
    ...(account === null ? PROVIDERS : [account.provider]).flatMap((provider) => fieldsOf(provider, account)),
    { name: 'rate', label: t('accounts.rate'), type: 'number', help: t('accounts.rate.help') },
    { name: 'active', label: t('accounts.active'), type: 'switch', help: t('accounts.active.help') },
  ];
}

export function valuesOf(account: SendingAccount | null): Values {
  if (account === null) return FIRST;
  const { provider } = account;
  const settings = Object.entries(account[provider] ?? {}).filter(([, value]) => value !== null);
  return {
    provider,
    name: account.name,
    active: account.active,
    ...(account.rate === null ? {} : { rate: String(account.rate) }),
    ...Object.fromEntries(settings.map(([name, value]) => [`${provider}.${name}`, String(value)])),
  };
}

/** Converts what is typed to the API's form: the provider's fields in an object of their own. */
export function accountBody(typed: Record<string, unknown>, known: Provider | null): AccountBody {
  const provider = known ?? (typed.provider as Provider);
  const own = Object.entries(typed).filter(([name]) => name.startsWith(`${provider}.`));
  return {
    name: String(typed.name ?? ''),
    rate: typeof typed.rate === 'number' ? typed.rate : null,
    active: typed.active === true,
    [provider]: Object.fromEntries(own.map(([name, value]) => [name.slice(provider.length + 1), value])),
  };
}
