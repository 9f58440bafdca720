import { declareTables } from '../db/table.ts';

export const accessTables = declareTables('access', {
  companies: {
    description: 'A company, with the settings of its areas.',
    audit: {
      audit: { noun: 'audit_log', about: 'nobody' },
      deliverability: { noun: 'marketing_email', about: 'nobody' },
      export: { noun: 'company', about: 'nobody' },
      settings: { noun: 'settings', about: 'nobody' },
      'loyalty/settings': { noun: 'loyalty', about: 'nobody' },
      'checkout-settings': { noun: 'checkout_settings', about: 'nobody' },
      'sending-settings': { noun: 'sending_settings', about: 'nobody' },
      'retention-settings': { noun: 'retention_settings', about: 'nobody' },
      'brand-kit': { noun: 'brand_kit', about: 'nobody' },
      'webhook-secrets': { noun: 'webhook_secret', about: 'nobody' },
    },
    alsoWrittenBy: [
      'commerce/loyalty',
      'commerce/settings',
      'exports',
      'installation.ts',
      'marketing/templates',
      'marketing/webhook',
      'messaging/settings',
      'retention',
    ],
  },
  company_versions: {
    description: "The version of a company's configuration, which processes poll in order to refresh what they cache.",
    export: { omitted: 'Increases with every change of configuration.' },
  },
  company_secrets: {
    description: 'Secrets of a company, encrypted with the master key.',
    export: { omitted: 'Secrets.' },
  },
  api_keys: {
    description: 'An API key; only its hash is stored.',
    export: { omitted: 'Only hashes of keys are stored.' },
    audit: { keys: { noun: 'key', about: 'nobody' } },
  },
  api_key_usage: {
    description: 'When an API key was last used.',
    export: { omitted: 'Belongs to the keys.' },
  },
  failed_attempts: {
    description: 'Requests without a valid credential, and those of the store interface, by network and minute.',
    export: { omitted: 'Belongs to the installation.' },
  },
  audit_log: {
    description: 'An administrative action. Rows are appended only; each contains the hash of the previous one.',
  },
  audit_values: {
    description: 'Values of customers and contacts that entries of the audit log show. An erasure deletes them.',
    references: { contact_id: 'erasure', customer_id: 'erasure' },
    alsoWrittenBy: ['marketing/contacts'],
  },
  admin_sessions: {
    description: 'A session in the admin app.',
    export: { omitted: 'Belongs to the installation.' },
  },
  admin_sign_ins: {
    description: 'An unused token of a sign-in link, hashed.',
    export: { omitted: 'Belongs to the installation.' },
  },
});
