import { declareTables } from '../db/table.ts';

export const adminTables = declareTables('admin', {
  persons: {
    description: 'A person who uses the admin app.',
    export: { omitted: 'Belongs to the installation.' },
  },
  person_networks: {
    description: 'A network from which a person has signed in.',
    export: { omitted: 'Belongs to the installation.' },
  },
  person_totp: {
    description: 'The authenticator app of a person. The secret is encrypted with the master key.',
    export: { omitted: 'Belongs to the installation.' },
  },
  recovery_codes: {
    description: 'A recovery code of a person, hashed.',
    export: { omitted: 'Belongs to the installation.' },
  },
  passkeys: {
    description: 'A passkey of a person.',
    export: { omitted: 'Belongs to the installation.' },
  },
  passkey_challenges: {
    description: 'A challenge for a browser to sign, valid once and for a few minutes.',
    export: { omitted: 'Belongs to the installation.' },
  },
  sign_in_attempts: {
    description: 'Attempts at the password of an account.',
    export: { omitted: 'Belongs to the installation.' },
  },
  members: {
    description: "A person's role in a company.",
    export: { omitted: 'People belong to the installation.' },
    audit: { members: { noun: 'member', about: 'nobody' } },
    alsoWrittenBy: ['access'],
  },
  invitations: {
    description: 'An invitation to become a member. Only the hash of its token is stored.',
    export: { omitted: 'People belong to the installation.' },
    audit: { invitations: { noun: 'invitation', about: 'nobody' } },
  },
  saved_views: {
    description: 'Named filters of a list, saved by a person.',
    export: { omitted: 'People belong to the installation.' },
    audit: { views: { noun: 'view', about: 'nobody', mayName: true } },
    alsoWrittenBy: ['erasure'],
  },
  live_marks: {
    description: 'A number for each kind of list that changes when something in the list changes.',
    export: { omitted: 'Derived: what changed in the lists.' },
    alsoWrittenBy: ['messaging'],
  },
  bulk_actions: {
    description: 'One action on all records that match filters, and its progress.',
    export: { omitted: 'The history of bulk actions.' },
    staffTexts: { columns: { filters: 'json', input: 'json' } },
    audit: { 'bulk-actions': { noun: 'bulk_action', about: 'nobody', mayName: true } },
  },
  bulk_action_changes: {
    description: 'Contacts changed by a bulk tagging, kept for 7 days so that it can be undone.',
    export: { omitted: 'Changes of the last days.' },
    references: { contact_ids: 'ends' },
  },
  health_reports: {
    description: 'The last report of the doctor requested in the admin app.',
    export: { omitted: 'Belongs to the installation.' },
  },
});
