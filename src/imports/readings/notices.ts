import { type Fields, type Format, LEFT } from '../formats/format.ts';
import type { Mapping } from '../formats/mapping.ts';
import { SeenKeys } from '../run/seen-keys.ts';

export const NOTICE_CODES = [
  'column_not_kept',
  'stock_not_counted',
  'sku_repeated',
  'refunded',
  'order_without_email',
] as const;

/** Something that the import cannot keep as the file has it, counted over the whole file. Holds no value: those may be about people. */
export interface Notice {
  code: (typeof NOTICE_CODES)[number];
  /** Index of the column, if it is one. */
  at: number | null;
  count: number;
}

export interface FileNotices {
  notices: Notice[];
  /** SKUs that several rows have, each with the row that keeps it. */
  sku_rows: Record<string, number>;
  /** Those of them that rows of different products have, and not only variants of one. */
  shared_skus: string[];
}

/** The number of a row, among its fields: sets apart the rows that have one SKU. */
export const ROW = '#row';

/** Repeated SKUs that are resolved; rows with further ones are refused. */
const MAX_REPEATED = 10_000;
/** Values of `rankOf`. */
const RANKS = 4;

/** Counts over a file what the import cannot keep. */
export class NoticeCounter {
  private readonly format: Format;
  private readonly mapping: Mapping;
  private readonly left: Map<number, number>;
  private readonly columnOf: Map<string, number>;
  private readonly skus = new SeenKeys();
  private readonly bestOf = new Map<string, number>();
  /** The SKUs of variants, each with its product. */
  private readonly ofProducts = new SeenKeys();
  private readonly shared = new Set<string>();
  private repeated = 0;
  private uncounted = 0;
  private refunded = 0;
  private withoutEmail = 0;
  private group: Fields = {};
  /** The order whose rows are being read; null before the first. */
  private order: { isRefunded: boolean; hasEmail: boolean } | null = null;

  constructor(format: Format, mapping: Mapping) {
    this.format = format;
    this.mapping = mapping;
    this.left = new Map(mapping.flatMap((field, i) => (field === null ? [[i, 0] as const] : [])));
    this.columnOf = new Map(mapping.flatMap((field, i) => (field === null ? [] : [[field, i] as const])));
  }

  add(row: number, cells: readonly string[], fields: Fields): void {
    for (const [i, count] of this.left) if (this.mapping[i] === null && cells[i]?.trim()) this.left.set(i, count + 1);
    for (const field of fields[LEFT]?.split(',') ?? []) {
      const at = this.columnOf.get(field);
      if (at !== undefined) this.left.set(at, (this.left.get(at) ?? 0) + 1);
    }
    if (this.format.kind === 'products') this.addProduct(row, fields);
    if (this.format.kind === 'orders') this.addOrderRow(fields);
  }

  /** Whether the row belongs to the same record as the row before. */
  private isFurther(fields: Fields): boolean {
    const { groupBy } = this.format;
    const isFurther = groupBy !== undefined && [undefined, this.group[groupBy]].includes(fields[groupBy]);
    if (!isFurther) this.group = fields;
    return isFurther;
  }

  private addOrderRow(fields: Fields): void {
    if (!this.isFurther(fields) || this.order === null) {
      this.countOrder();
      this.order = { isRefunded: false, hasEmail: false };
    }
    if (isRefunded(fields)) this.order.isRefunded = true;
    if (fields.email !== undefined) this.order.hasEmail = true;
  }

  private countOrder(): void {
    if (this.order?.isRefunded === true) this.refunded++;
    if (this.order?.hasEmail === false) this.withoutEmail++;
    this.order = null;
  }

  private addProduct(row: number, fields: Fields): void {
    this.isFurther(fields);
    if (fields.skip !== undefined || fields.parent_row !== undefined || fields.only_image !== undefined) return;
    if (fields.untracked === 'yes') this.uncounted++;
    const sku = skuOf(fields);
    if (sku === undefined) return;
    const product = this.productOf(fields);
    const isOther = product === undefined || this.ofProducts.add(JSON.stringify([product, sku]), row) === null;
    const rank = rankOf(fields, this.group);
    const before = this.skus.add(sku, row * RANKS + rank);
    if (before === null) return;
    this.repeated++;
    const best = this.bestOf.get(sku) ?? before;
    if (this.bestOf.size < MAX_REPEATED || this.bestOf.has(sku)) {
      this.bestOf.set(sku, rank > best % RANKS ? row * RANKS + rank : best);
      if (isOther) this.shared.add(sku);
    }
  }

  /** Identifies the product of a variant; undefined for a row that is a product of its own. Two ways to refer to a product count as two. */
  private productOf(fields: Fields): string | undefined {
    const { groupBy, inheritance } = this.format;
    return groupBy === undefined ? inheritance?.referenceIn(fields) || undefined : this.group[groupBy]?.toLowerCase();
  }

  result(): FileNotices {
    this.countOrder();
    const columns = [...this.left]
      .sort(([a], [b]) => a - b)
      .filter(([, count]) => count > 0)
      .map(([at, count]): Notice => ({ code: 'column_not_kept', at, count }));
    const others: Notice[] = [
      { code: 'stock_not_counted', at: null, count: this.uncounted },
      { code: 'sku_repeated', at: null, count: this.repeated },
      { code: 'refunded', at: null, count: this.refunded },
      { code: 'order_without_email', at: null, count: this.withoutEmail },
    ];
    return {
      notices: [...others.filter(({ count }) => count > 0), ...columns],
      sku_rows: Object.fromEntries([...this.bestOf].map(([sku, best]) => [sku, Math.floor(best / RANKS)])),
      shared_skus: [...this.shared],
    };
  }
}

/** Spreadsheets keep the zeros at the beginning of a number behind an apostrophe. */
export function skuOf({ sku }: Fields): string | undefined {
  return sku?.replace(/^'/, '');
}

/** A SKU stays with the product that is sold, and among these with one that is in stock. */
function rankOf({ status, archived, published, stock }: Fields, group: Fields): number {
  const isHidden =
    /^(?:yes|true|1)$/i.test(archived ?? group.archived ?? '') ||
    !/^active$/i.test(status ?? group.status ?? 'active') ||
    /^(?:false|no|0)$/i.test(published ?? group.published ?? '');
  return (isHidden ? 0 : 2) + (/^\+?0*[1-9]/.test(stock ?? '') ? 1 : 0);
}

function isRefunded({ refunded = '', refunds = '', payment_status = '' }: Fields): boolean {
  return /[1-9]/.test(refunded) || /\bamount:[^|;]*[1-9]/.test(refunds) || /^refunded$/i.test(payment_status);
}
