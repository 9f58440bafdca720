import { declareTables } from '../db/table.ts';

export const messagingTables = declareTables('messaging', {
  messages: {
    description: 'A message to one recipient. Its content is composed when it is sent.',
    references: { contact_id: 'erasure', run_id: 'stays', event_id: 'stays' },
    audit: { messages: { noun: 'message', about: 'several' } },
    alsoWrittenBy: ['erasure', 'marketing/campaigns', 'marketing/contacts'],
  },
  message_claims: {
    description: 'A queued message that a worker holds.',
    export: { omitted: 'Held by workers for seconds.' },
    references: { message_id: 'ends' },
    alsoWrittenBy: ['erasure', 'marketing/contacts'],
  },
  message_activity: {
    description: 'What happened to a message after it was sent, each fact once.',
    references: { contact_id: 'erasure', message_id: 'goes' },
    alsoWrittenBy: ['marketing/contacts'],
  },
  message_totals: {
    description: "Totals of a contact's deleted messages.",
    references: { contact_id: 'erasure' },
    erasure: { deleteBy: 'contact_id' },
    export: 'totals',
    alsoWrittenBy: ['marketing/contacts'],
  },
  tracked_links: {
    description: 'The address that a tracked link leads to.',
    alsoWrittenBy: ['erasure'],
  },
  soft_bounces: {
    description: "Consecutive temporary refusals of a contact's address.",
    references: { contact_id: 'erasure' },
    erasure: { deleteBy: 'contact_id' },
    alsoWrittenBy: ['marketing/contacts'],
  },
  mailbox_messages: {
    description: 'A message kept by the built-in transport.',
    references: { contact_id: 'erasure', message_id: 'stays' },
    erasure: { deleteBy: 'contact_id' },
    retention: { kind: 'mailbox', createdAt: 'created_at' },
    audit: { mailbox: { noun: 'mailbox', about: 'several' } },
    alsoWrittenBy: ['erasure', 'marketing/contacts'],
  },
  suppressions: {
    description: 'An address that must not be written to, as a keyed hash.',
    audit: { suppressions: { noun: 'suppression', about: 'several' } },
  },
  bounce_notifications: {
    description: 'A bounce notification that was processed.',
    export: { omitted: 'Protects against repetitions.' },
  },
  sending_domains: {
    description: 'A domain that a company sends from.',
    export: { omitted: 'Keys of this installation; another one makes its own.' },
    audit: { 'sending-domains': { noun: 'sending_domain', about: 'nobody' } },
  },
  sending_accounts: {
    description: 'An account at a mail or SMS provider.',
    export: { omitted: 'Secrets of accounts at mail and SMS providers.' },
    audit: { 'sending-accounts': { noun: 'sending_account', about: 'nobody' } },
  },
  tracking_hosts: {
    description: 'A verified host of tracked links.',
    export: { omitted: 'Hosts that lead to this installation.' },
  },
  warm_up_days: {
    description: 'Marketing e-mails sent from a domain during its warm-up, by day.',
    export: { omitted: 'Concerns what this installation sent.' },
  },
  provider_rates: {
    description: 'Until when the rate of a provider is used up.',
    export: { omitted: 'Belongs to the installation.' },
  },
  domain_rates: {
    description: 'Usage of the hourly limits by domain of the recipients.',
    export: { omitted: 'Usage of hourly limits.' },
  },
  marketing_pauses: {
    description: "An automatic pause of a company's marketing e-mails.",
    export: { omitted: 'Concerns what this installation sent.' },
  },
  staff_notices: {
    description: 'Something that the people of a company are told of, kept for 30 days. Holds no data of customers.',
    export: { omitted: 'Derived: what happened in the last days.' },
  },
  staff_notice_choices: {
    description: 'How a person is told of a kind of notices.',
    export: { omitted: 'People belong to the installation.' },
    audit: { 'staff-notices': { noun: 'notice', about: 'nobody' } },
  },
  staff_notice_reads: {
    description: 'Which notices a person has read.',
    export: { omitted: 'People belong to the installation.' },
  },
  staff_notice_mailings: {
    description: 'Up to which notice of a kind e-mails were written.',
    export: { omitted: 'Concerns what this installation sent.' },
  },
});
