/**
 * Tables of a company that are left out of its export: keys and secrets, and data that is short-lived or belongs to this installation. All
 * other tables with a company are exported, including new ones.
 */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  company_versions: 'Raised by every change of configuration',
  company_secrets: 'Secrets',
  api_keys: 'Keys: only their hashes are stored',
  api_key_usage: 'Belongs to the keys',
  idempotency_keys: 'Responses for a day, to requests of the past',
  members: 'People belong to the installation',
  invitations: 'People belong to the installation',
  saved_views: 'People belong to the installation',
  password_attempts: 'Counts of an hour',
  contact_last_activity: 'Derived: read from the events where a company is loaded',
  customer_figures: 'Derived: made by triggers while a company is loaded',
  customer_figure_deltas: 'Derived: made by triggers while a company is loaded',
  live_marks: 'Derived: what changed of the lists',
  list_spans: 'Derived: sums of list_counts',
  api_requests: 'Technical: requests of the last days',
  message_claims: 'Held by workers for seconds',
  form_rates: 'Counts of an hour',
  picture_fetches: 'Work of this installation: what it stored is in the products',
  sending_accounts: 'Secrets of accounts at mail and SMS services',
  sending_domains: 'Keys of this installation: another one makes its own',
  tracking_hosts: 'Hosts that lead to this installation',
  domain_rates: 'What of limits of an hour is spent',
  warm_up_days: 'Of what this installation sent',
  marketing_pauses: 'Of what this installation sent',
  bounce_notifications: 'Kept against repetition',
  webhook_senders: 'Kept against repetition',
  recommendation_passes: 'Progress of a chore',
  product_sales: 'Derived: counted from the orders',
  best_sellers: 'Derived: counted from the orders',
  products_together: 'Derived: counted from the orders',
  bulk_actions: 'The history of bulk actions',
  bulk_action_changes: 'What bulk actions changed in the last days',
  imports: 'The history of imports',
  import_chunks: 'Files under way',
  import_findings: 'The history of imports',
  import_journal: 'The history of imports',
  erasures: 'The journal of erasures says who is gone to this installation alone',
};

/** Columns that hold secrets or password hashes, or that the database generates from others. */
export const HIDDEN_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  customers: ['password_hash'],
  products: ['record'],
  webhook_endpoints: ['secret'],
};

/**
 * Totals that triggers update when other tables are written. For data removed because of its age they are all that is left. They are
 * therefore exported, and loaded last, replacing what the triggers made.
 */
export const TOTALS: readonly string[] = [
  'list_counts',
  'list_count_deltas',
  'sales_totals',
  'sales_deltas',
  'event_totals',
  'message_totals',
  'flow_stats',
  'flow_stat_deltas',
];

/** Tables that triggers fill while a company is loaded; they are emptied before their own rows are loaded. */
export const MADE_BY_TRIGGERS: readonly string[] = ['subscription_frequencies', ...TOTALS];

/** Sequences that no identity column owns, with the columns that they number. */
export const SEQUENCES: readonly { sequence: string; table: string; column: string }[] = [
  { sequence: 'event_ids', table: 'events', column: 'event_id' },
  { sequence: 'stock_adjustment_id', table: 'stock_movements', column: 'reference' },
  { sequence: 'subscription_frequency_ids', table: 'subscription_frequencies', column: 'id' },
  { sequence: 'flow_run_slots', table: 'flow_runs', column: 'slot' },
];
