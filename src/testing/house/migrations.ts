import { type Migration, statementsOf } from '../../db/migrating/migration-files.ts';
import { lockOf } from '../../db/migrating/plan.ts';
import { filesUnder, readText } from './sources.ts';

/** Tables with a few thousand rows at most per company or installation: they are scanned in a moment. */
const SMALL = new Set([
  ...['companies', 'company_secrets', 'company_versions', 'installation', 'schema_migrations', 'health_reports'],
  ...['api_keys', 'persons', 'members', 'invitations', 'passkeys', 'person_totp', 'saved_views', 'forms'],
  ...['campaigns', 'flows', 'templates', 'segments', 'lists', 'event_types', 'sending_domains', 'sending_accounts'],
  ...['categories', 'promo_codes', 'shipping_methods', 'shipping_zones', 'tax_rules', 'webhook_endpoints', 'locations'],
  'payment_methods',
  ...['contact_activity_state', 'event_totals_state', 'recommendation_passes'],
  ...['retention_progress', 'imports', 'bulk_actions', 'marketing_pauses', 'rfm_boundaries', 'warm_up_days'],
  ...['provider_rates', 'subscription_frequencies', 'live_marks', 'segment_counts', 'campaign_audiences'],
]);

/** A statement may contain several parts that change a table. */
const CHANGED =
  /\bupdate (?:only )?(?:public\.)?"?(\w+)"?(?: (?:as )?\w+)? set\b|\bdelete from (?:only )?(?:public\.)?"?(\w+)"?/gis;

/** Tables by the first migration that makes them: a later one that makes a table again replaces it. */
const madeIn = new Map(
  filesUnder('src/db/migrations')
    .toSorted()
    .flatMap((path) =>
      [...readText(path).matchAll(/^create table (?:if not exists )?(?:public\.)?"?(\w+)/gim)].map(
        ([, table]) => [table!, path.slice(path.lastIndexOf('/') + 1)] as const,
      ),
    )
    .toReversed(),
);

/** Statements outside of a transaction wait for locks without a limit, and may run again. Only these let everybody else go on. */
const CONCURRENT = /^(create (unique )?index concurrently if not exists|drop index concurrently if exists) /i;

/** Returns the statements outside of a transaction that are not about an index that is built or dropped concurrently. */
export function outsideStatements({ text, inTransaction }: Migration): string[] {
  return inTransaction ? [] : statementsOf(text).filter((statement) => !CONCURRENT.test(statement));
}

/**
 * Returns the statements that an upgrade under load must not run: they rewrite, block, empty or scan an existing table, or remove
 * what the previous version reads. A line `-- migrate: blocks TABLE: reason` in the file excuses those of one table.
 */
export function blockingStatements({ name, text, excused }: Migration): string[] {
  const unused = new Set(excused.keys());
  const found: string[] = [];
  for (const statement of statementsOf(text).flatMap(withinBlock)) {
    const readable = statement.replace(/(\$\w*\$)[\s\S]*?\1/g, '$$…$$');
    for (const table of tablesOf(readable)) {
      const why = !madeIn.has(table) || madeIn.get(table) === name ? null : reasonAgainst(readable, table);
      if (why === null) continue;
      unused.delete(table);
      if (!excused.has(table)) found.push(`${table}: ${why}: ${readable.replace(/\s+/g, ' ').slice(0, 100)}`);
    }
  }
  return [...found, ...[...unused].map((table) => `${table}: excused, and nothing blocks it`)];
}

function reasonAgainst(statement: string, table: string): string | null {
  if (/^alter table .*\brename\b/is.test(statement)) return 'renames what the version before reads';
  const drops = /^drop table|^truncate|^alter table .*\bdrop (?!constraint|default|not null|expression|identity)\w/is;
  if (drops.test(statement)) return 'drops what the version before reads';
  if (SMALL.has(table)) return null;
  if (statement.search(CHANGED) >= 0) return 'unbounded: a job of the background does it in slices';
  const { blocks, readsTable } = lockOf(statement)!;
  if (blocks === 'everything' && readsTable) return 'goes through the table, and everybody waits';
  if (blocks === 'writes' && !/^create (or replace )?(constraint )?trigger/i.test(statement)) return 'blocks writes';
  return null;
}

function tablesOf(statement: string): Set<string> {
  const changed = [...statement.matchAll(CHANGED)].map((match) => match[1] ?? match[2]);
  return new Set([lockOf(statement)?.table, ...changed].filter((table) => table !== undefined));
}

/** The statements of a `do` block, each from its first keyword on; a function runs only when it is called. */
function withinBlock(statement: string): string[] {
  const body = /^do\b[^$]*(\$\w*\$)([\s\S]*)\1/i.exec(statement)?.[2];
  if (body === undefined) return [statement];
  const begins =
    /\b(create (unique )?index|alter table|drop table|truncate|lock table|reindex|update|delete from)\b[\s\S]*/i;
  return statementsOf(body).flatMap((one) => begins.exec(one)?.[0] ?? []);
}
