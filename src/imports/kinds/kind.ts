import type { Shop } from '../../commerce/shop.ts';
import type { Tx } from '../../db/pool.ts';
import type { Renderer } from '../../messaging/compose/renderer.ts';
import type { Suppressions } from '../../messaging/suppressions/suppressions.ts';
import type { ConsentState } from '../../recipients/consent.ts';
import type { Fields } from '../formats/format.ts';
import type { FileReadings } from '../readings/readings.ts';
import type { Families } from './families.ts';

/** What the user chooses for rows because the file does not say it. */
export interface Choices {
  /** For rows without a consent; required if no column contains it. */
  email_consent?: ConsentState;
  sms_consent?: ConsentState;
  /** Contacts are added to this list. */
  list_id?: number;
  /** Tags for every contact. */
  tags?: string[];
  /** For products whose stock is not counted in the file. */
  untracked_stock?: number;
  /** Existing records stay as they are. */
  only_new?: boolean;
  /** Whether variants become those of one product (the default) or products of their own. */
  variants?: 'grouped' | 'separate';
}

/** The context in which an import's records are processed. */
export interface ImportContext {
  companyId: number;
  importId: number;
  shop: Shop;
  choices: Choices;
  readings: FileReadings;
  /** For sources and notes, such as `shopify-orders`. */
  format: string;
  actor: string;
  /** The time stamp of everything that the import writes. */
  now: Date;
  suppressions: Suppressions;
  renderer: Pick<Renderer, 'sanitiseDescriptions'>;
  /** SKUs that several rows have, each with the row that keeps it. */
  skuRows: ReadonlyMap<string, number>;
  /** Those of them that rows of different products have. */
  sharedSkus: ReadonlySet<string>;
  families: Families;
}

/** The rows of one record. */
export interface RowGroup {
  /** Number of the first row. */
  row: number;
  rows: Fields[];
}

/** A record as read from its rows. Two with the same key are the same: the later is refused. */
export interface Read<R> {
  key: string;
  record: R;
  /** A place that only one record of the file can have: the options of a variant. */
  place?: string | null;
  /** Reported beside the record, which is imported. */
  note?: string | null;
}

export type Outcome =
  | { outcome: 'created' | 'updated' | 'unchanged'; suppressed?: boolean }
  | { outcome: 'skipped' | 'refused'; field: string | null; reason: string };

export type RecordKind = 'contact' | 'customer' | 'product' | 'order';

/** What an undo needs: the ids of new records, or the earlier state of one changed record. */
export interface JournalEntry {
  kind: RecordKind;
  ids: number[];
  before: object | null;
}

export interface Written {
  /** One for each record, in their order. */
  outcomes: Outcome[];
  journal: JournalEntry[];
}

/** A record as it is to be checked or written, or why it is refused. */
export type Prepared<R> = { record: R } | { refusal: Outcome };

/** How one kind of record is imported. No two records of a call have the same key. */
export interface ImportKind<R> {
  /** Throws RowFault. A group may hold several records (variants of a product). */
  read(group: RowGroup, context: ImportContext): Read<R>[];
  /** Does the work of threads on records, before the transaction. Returns one for each record, in their order. */
  prepare?(context: ImportContext, records: R[]): Promise<Prepared<R>[]>;
  /** Returns what `write` would do, without writing. */
  check(tx: Tx, context: ImportContext, records: R[]): Promise<Outcome[]>;
  write(tx: Tx, context: ImportContext, records: R[]): Promise<Written>;
}

export function refused(field: string | null, reason: string): Outcome {
  return { outcome: 'refused', field, reason };
}
