import type pg from 'pg';
import { adminEndpoints, commerceEndpoints, marketingEndpoints } from '../../src/endpoints.ts';
import type { Endpoint } from '../../src/http/api/endpoint.ts';
import type { TestCompany, TestResponse } from '../../src/testing/harness.ts';
import { recordStatements } from '../../src/testing/statements.ts';

/** Tables that grow over the years: no page of a list may scan one of these completely. */
const LONG_TABLES = [
  ...['orders', 'order_items', 'order_history', 'customers', 'contacts', 'list_memberships', 'stock_movements'],
  ...['messages', 'message_activity', 'mailbox_messages', 'flow_runs', 'flow_run_log', 'webhook_deliveries'],
  ...['contact_activity', 'audit_log', 'api_requests'],
];
const ROUNDS = 5;
const PER_PAGE = 100;

/** The company that sends the requests: of a test, or of a database that was filled. */
export type Caller = Pick<TestCompany, 'commerce' | 'marketing'> & {
  /** Sends a request below /admin/api/{company}, as the owner. */
  admin(method: string, path: string): Promise<TestResponse>;
};

export interface List {
  surface: 'commerce' | 'marketing' | 'admin';
  path: string;
}

export interface ListFigure {
  path: string;
  total: number;
  /** The median. */
  ms: number;
  /** Long tables that one of its statements scans completely. */
  scanned: string[];
}

/**
 * Filters whose pages are found by totals of their own, and searches: for one person, for a common name, for letters
 * that no index supports, for products.
 */
const FILTERS: Readonly<Record<string, readonly string[]>> = {
  '/orders': ['&search=dahl26', '&search=lena', '&search=an&sort=relevance', '&search=product%2017', '&search=zz'],
  '/products': ['&search=product%2017&sort=relevance', '&search=an&sort=relevance'],
  '/campaigns/{id}/recipients': ['&state=opened', '&state=clicked'],
  '/flows/{id}/runs': ['&status=completed', '&status=active'],
};

const isList = ({ method, query }: Endpoint): boolean => method === 'GET' && query?.properties.per_page !== undefined;

/** Returns every list of both APIs and of the admin app's own, for the company's first records: the first, a middle and the last page. */
export async function listsOf(company: Caller): Promise<List[]> {
  const lists: List[] = [];
  for (const [surface, endpoints] of [
    ['commerce', commerceEndpoints],
    ['marketing', marketingEndpoints],
    ['admin', adminEndpoints],
  ] as const) {
    for (const { path, query } of endpoints.filter(isList)) {
      const filled = await fill(company, surface, path);
      if (filled === null) continue;
      for (const filter of ['', ...(FILTERS[path] ?? [])]) {
        lists.push({ surface, path: `${filled}?per_page=${PER_PAGE}${filter}` });
        // Other lists continue from the record before.
        if (query?.properties.page === undefined) continue;
        const last = Math.ceil((await ask(company, lists.at(-1)!)) / PER_PAGE);
        const pages = new Set([Math.floor(last / 2), last].filter((page) => page > 1));
        for (const page of pages) lists.push({ surface, path: `${filled}?per_page=${PER_PAGE}${filter}&page=${page}` });
      }
    }
  }
  return lists;
}

/** Fills in the id of a record, a product by its slug; null where the company has no such record. */
async function fill(company: Caller, surface: List['surface'], path: string): Promise<string | null> {
  const [parents, parameter] = /^(.*)\/\{(\w+)\}/.exec(path)?.slice(1) ?? [];
  if (parents === undefined || parameter === undefined) return path;
  const { body } = await company[surface]('GET', `${parents}?per_page=1`);
  const records = Array.isArray(body.data) ? body.data : (Object.values(body).find(Array.isArray) ?? []);
  const [record] = records as Record<string, unknown>[];
  const id =
    parameter === 'slug'
      ? record?.slug
      : (record?.id ?? Object.entries(record ?? {}).find(([name]) => name.endsWith('_id'))?.[1]);
  return id === undefined ? null : path.replace(`{${parameter}}`, String(id));
}

/** Returns the total that the page reports; 0 where it reports none. */
async function ask(company: Caller, { surface, path }: List): Promise<number> {
  const { status, body } = await company[surface]('GET', path);
  // A statement that takes too long is one of the results.
  if (status !== 200 && !/took too long/.test(body.error?.message ?? body.message ?? '')) {
    throw new Error(`GET ${path}: ${status} ${JSON.stringify(body)}`);
  }
  return (body.pagination ?? body.meta?.pagination)?.total ?? 0;
}

/** Measures the time of each, and examines the plans of its statements; with few rows, plans as if there were many. */
export async function measureLists(
  client: pg.ClientBase,
  company: Caller,
  lists: List[],
  { bySize }: { bySize: boolean },
): Promise<ListFigure[]> {
  const figures: ListFigure[] = [];
  await client.query(`set enable_seqscan = ${bySize ? 'on' : 'off'}`);
  // Partitions of future months have no rows, so scanning them is the quickest way.
  const empty = await client.query<{ name: string }>(
    "select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace and pg_relation_size(oid) = 0",
  );
  const isEmpty = new Set(empty.rows.map(({ name }) => name));
  for (const list of lists) {
    const times: number[] = [];
    let total = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const began = performance.now();
      total = await ask(company, list);
      times.push(performance.now() - began);
    }
    const sent = await recordStatements(() => ask(company, list));
    const scanned = new Set<string>();
    for (const { text, values } of sent) {
      // A transaction with settings of its own is planned with these.
      if (/^begin$|set_config/.test(text)) await client.query(text, values);
      if (text === 'commit') await client.query('rollback');
      if (/^(begin|commit)$|set_config/.test(text)) continue;
      const { rows } = await client.query(`explain (format json) ${text}`, values);
      const scans = scansOf(rows[0]['QUERY PLAN'][0].Plan);
      for (const table of scans) if (!isEmpty.has(table)) scanned.add(table);
    }
    const ms = Math.round(times.toSorted((a, b) => a - b)[ROUNDS >> 1]! * 10) / 10;
    figures.push({ path: `${list.surface} ${list.path}`, total, ms, scanned: [...scanned] });
  }
  await client.query('reset enable_seqscan');
  return figures;
}

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  Plans?: Plan[];
}

function scansOf(plan: Plan): string[] {
  const table = plan['Relation Name'] ?? '';
  const isLong = LONG_TABLES.includes(table) || /^events_\d/.test(table);
  const here = plan['Node Type'] === 'Seq Scan' && isLong ? [table] : [];
  return [...here, ...(plan.Plans ?? []).flatMap(scansOf)];
}
