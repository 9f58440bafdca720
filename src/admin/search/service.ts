import { grants } from '../../access/scopes.ts';
import type { AdminSessions, Session } from '../../access/sessions.ts';
import type { Caller } from '../../caller.ts';
import type { CustomersService } from '../../commerce/customers/service.ts';
import type { Order } from '../../commerce/orders/contract.ts';
import type { OrdersService } from '../../commerce/orders/service.ts';
import type { ProductsService } from '../../commerce/products/service.ts';
import { areShort, wordsOf } from '../../commerce/search.ts';
import { foldText } from '../../db/fold.ts';
import type { Db } from '../../db/pool.ts';
import { RawJson } from '../../lib/raw-json.ts';
import type { ContactsService } from '../../marketing/contacts/service.ts';
import type { Hit, Kind } from './contract.ts';
import * as queries from './queries.ts';

const MOST = 5;

export interface SearchDeps {
  db: Db;
  sessions: Pick<AdminSessions, 'standingIn'>;
  orders: Pick<OrdersService, 'listOrders'>;
  products: Pick<ProductsService, 'listProducts'>;
  customers: Pick<CustomersService, 'listCustomers'>;
  contacts: Pick<ContactsService, 'listContacts'>;
}

export type SearchService = ReturnType<typeof createSearchService>;

/** The search of the admin app (Ctrl-K). */
export function createSearchService({ db, sessions, orders, products, customers, contacts }: SearchDeps) {
  return {
    async searchEverything(
      { companyId, now }: Caller,
      session: Session | null,
      text: string,
    ): Promise<{ hits: Hit[] }> {
      if (session === null) return { hits: [] };
      const { scopes } = sessions.standingIn(session, companyId);
      const lane = db.lists(companyId);
      const words = wordsOf(text);
      const search = { search: text, per_page: MOST };
      if (words.length === 0) return { hits: [] };

      const kinds: [string, () => Promise<Hit[]>][] = [
        ['orders:read', async () => hitsOf('order', await queries.findOrders(lane, companyId, orderIn(text)))],
        [
          'products:read',
          async () => {
            const [coded, begun, newest] = await Promise.all([
              queries.findProductsByCode(lane, companyId, text),
              queries.findProductsByName(lane, companyId, foldText(text), MOST),
              queries.findNewestProducts(lane, companyId, words, MOST),
            ]);
            const rows = new Map([...coded, ...begun].map((row) => [row.id, row]));
            for (const archived of [false, true]) {
              if (rows.size >= MOST) break;
              const isCommon = !archived && newest.length === MOST;
              const more = isCommon
                ? newest
                : await found(products.listProducts(companyId, { ...search, archived, sort: 'relevance' }));
              for (const row of more) if (!rows.has(row.id)) rows.set(row.id, row);
            }
            return hitsOf('product', [...rows.values()].slice(0, MOST));
          },
        ],
        [
          'customers:read',
          async () => {
            const newest = await queries.findNewestCustomers(lane, companyId, words, MOST);
            const rows = newest.length === MOST ? newest : await found(customers.listCustomers(companyId, search));
            return hitsOf('customer', rows);
          },
        ],
        [
          'marketing:read',
          async () => {
            return hitsOf('contact', await found(contacts.listContacts(companyId, search, now)));
          },
        ],
        ['marketing:read', () => queries.findNamed(lane, companyId, text, MOST)],
        // After the people and products through which they are found.
        [
          'orders:read',
          async () => {
            // A short word would scan the newest orders, which is too expensive for a keystroke.
            if (areShort(words)) return [];
            const { rows } = await orders.listOrders(companyId, { ...search, sort: 'relevance' });
            return hitsOf('order', (rows as Order[]).map(orderRow));
          },
        ],
      ];
      const open = kinds.filter(([scope]) => grants(scopes, scope));
      const hits = await Promise.all(open.map(([, find]) => find()));
      return { hits: fewOrders(hits.flat()).map(named) };
    },
  };
}

/** Returns the numbers by which a text may identify an order. */
function orderIn(text: string): { id: number | null; externalId: string } {
  const number = /^#?(\d{1,15})$/.exec(text)?.[1];
  return { id: number === undefined ? null : Number(number), externalId: text };
}

/** Returns each order once, and no more orders than the limit of other kinds. */
function fewOrders(hits: Hit[]): Hit[] {
  const seen = new Set<number>();
  return hits.filter(({ kind, id }) => {
    if (kind !== 'order') return true;
    if (seen.has(id) || seen.size === MOST) return false;
    seen.add(id);
    return true;
  });
}

function orderRow({ id, external_id, status }: Order): queries.FoundRow {
  return { id, name: external_id ?? '', detail: status };
}

/** A product or person of a list of the API. */
interface Listed {
  id?: number;
  contact_id?: number;
  name?: string;
  sku?: string | null;
  first_name?: string | null;
  last_name?: string | null;
  email?: string | null;
  phone?: string | null;
  archived?: boolean;
}

function rowOf({ id, contact_id, name, sku, first_name, last_name, email, phone, archived }: Listed): queries.FoundRow {
  const person = `${first_name ?? ''} ${last_name ?? ''}`.trim();
  const detail = sku ?? email ?? phone ?? null;
  return { id: (id ?? contact_id)!, name: name ?? person, detail, ...(archived === undefined ? {} : { archived }) };
}

/** Returns the rows of a list whose JSON comes from PostgreSQL. */
async function found(page: Promise<{ rows: readonly unknown[] }>): Promise<queries.FoundRow[]> {
  const { rows } = await page;
  return rows.flatMap((row) => (row instanceof RawJson ? JSON.parse(`[${row.text}]`) : [row]) as Listed[]).map(rowOf);
}

function hitsOf(kind: Kind, rows: readonly queries.FoundRow[]): Hit[] {
  return rows.map((row) => ({ kind, ...row }));
}

/** A person without a name is shown by their address. */
function named(hit: Hit): Hit {
  return hit.name === '' && hit.kind !== 'order' ? { ...hit, name: hit.detail ?? `#${hit.id}`, detail: null } : hit;
}
