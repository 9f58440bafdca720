import type { Shop, ShopCache } from '../../commerce/shop.ts';
import type { Queryable } from '../../db/pool.ts';
import { AppError } from '../../errors.ts';
import type { Renderer } from '../../messaging/compose/renderer.ts';
import type { Suppressions } from '../../messaging/suppressions/suppressions.ts';
import { type CsvRow, rowsOf } from '../csv/rows.ts';
import { textOf } from '../csv/text.ts';
import type { Kind } from '../formats/format.ts';
import { formatNamed } from '../formats/registry.ts';
import { contactsKind } from '../kinds/contacts.ts';
import { customersKind } from '../kinds/customers.ts';
import { Families } from '../kinds/families.ts';
import type { ImportContext, ImportKind } from '../kinds/kind.ts';
import { ordersKind } from '../kinds/orders.ts';
import { productsKind } from '../kinds/products.ts';
import { findChunk, type ImportRow } from '../queries.ts';
import { defaultsOf, fileReadings, type ReadingDefaults } from '../readings/readings.ts';

/** The types of records differ by kind: pass what a kind has read only to the same kind. */
export const KIND_OF = {
  contacts: contactsKind,
  customers: customersKind,
  products: productsKind,
  orders: ordersKind,
} as unknown as Record<Kind, ImportKind<unknown>>;

export interface ContextDeps {
  shops: ShopCache;
  suppressions: Suppressions;
  renderer: Pick<Renderer, 'sanitiseDescriptions'>;
}

export async function contextOf(
  { shops, suppressions, renderer }: ContextDeps,
  companyId: number,
  row: ImportRow,
  now: Date,
): Promise<ImportContext> {
  const { mapping: _, encoding: __, ...choices } = row.options;
  const shop = await shops.get(companyId);
  const readings = fileReadings(row.readings ?? [], readingDefaults(shop, row.format));
  const skuRows = new Map(Object.entries(row.notices?.sku_rows ?? {}));
  const sharedSkus = new Set(row.notices?.shared_skus);
  const { id: importId, format, actor } = row;
  const families = new Families();
  return {
    companyId,
    importId,
    shop,
    choices,
    readings,
    format,
    actor,
    now,
    suppressions,
    renderer,
    skuRows,
    sharedSkus,
    families,
  };
}

/** Returns what applies if the file's values and the options do not decide. */
export function readingDefaults({ country, timeZone }: Shop, format: string): ReadingDefaults {
  const written = formatNamed(format);
  const usual = defaultsOf({ country, timeZone: written?.timeZone ?? timeZone });
  return { ...usual, separator: written?.separator ?? usual.separator };
}

/** Yields the rows of an uploaded file. */
export function rowsOfFile(db: Queryable, companyId: number, row: ImportRow): AsyncGenerator<CsvRow[]> {
  return rowsOf(textOfFile(db, companyId, row));
}

export function textOfFile(db: Queryable, companyId: number, row: ImportRow): AsyncGenerator<string> {
  return textOf(chunksOf(db, companyId, row), row.options.encoding);
}

async function* chunksOf(db: Queryable, companyId: number, { id, chunks }: ImportRow): AsyncGenerator<Buffer> {
  for (let n = 0; n < chunks; n++) {
    const data = await findChunk(db, companyId, id, n);
    // An erasure discards files that may name the person.
    if (data === undefined) throw new AppError('bad_request', 'The file is gone: upload it again');
    yield data;
  }
}
