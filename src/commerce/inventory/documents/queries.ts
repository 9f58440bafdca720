import type { Queryable, Tx } from '../../../db/pool.ts';
import { emptySql, rawSql, sql } from '../../../db/sql.ts';
import type { PageBounds } from '../../../lib/paging.ts';
import type { Stamp } from '../stock.ts';
import type { TransferLine, TransferStatus } from './transfer-states.ts';

interface Recorded {
  id: number;
  actor: string;
  created_at: Date;
}

export interface AdjustmentRow extends Recorded {
  reason: string | null;
  lines: { product_id: number; location_id: number; delta: number; available: number }[];
}

export interface ReceiptRow extends Recorded {
  location_id: number;
  supplier: string | null;
  reference: string | null;
  /** The cost in minor units. */
  lines: { product_id: number; qty: number; unit_cost: number | null }[];
}

export interface TransferRow extends Recorded {
  status: TransferStatus;
  from_location_id: number;
  to_location_id: number;
  note: string | null;
  lines: TransferLine[];
  updated_at: Date;
  sent_at: Date | null;
}

const ADJUSTMENT = rawSql(`id, reason, lines, actor, created_at`);
const RECEIPT = rawSql(`id, location_id, supplier, reference, lines, actor, created_at`);
const TRANSFER = rawSql(
  `id, status, from_location_id, to_location_id, note, lines, actor, created_at, updated_at, sent_at`,
);

export type DocumentTable = 'stock_adjustments' | 'stock_receipts' | 'stock_transfers';

/** Documents of a kind; only transfers have a status. */
export async function countDocuments(
  db: Queryable,
  companyId: number,
  table: DocumentTable,
  status?: TransferStatus,
): Promise<number> {
  const rows = await db.query<{ n: number }>(sql`
    select count(*) as n from ${rawSql(table)}
    where company_id = ${companyId} ${status === undefined ? emptySql : sql`and status = ${status}`}`);
  return rows[0]!.n;
}

export async function listAdjustments(db: Queryable, companyId: number, page: PageBounds): Promise<AdjustmentRow[]> {
  return db.query<AdjustmentRow>(sql`
    select ${ADJUSTMENT} from stock_adjustments where company_id = ${companyId}
    order by id desc offset ${page.skip} limit ${page.take}`);
}

/** The movements of the adjustment refer to its id. */
export async function insertAdjustment(
  tx: Tx,
  companyId: number,
  { reason, lines }: Pick<AdjustmentRow, 'reason' | 'lines'>,
  { actor, now }: Stamp,
): Promise<AdjustmentRow> {
  const rows = await tx.query<AdjustmentRow>(sql`
    insert into stock_adjustments (company_id, reason, lines, actor, created_at)
    values (${companyId}, ${reason}, ${JSON.stringify(lines)}::jsonb, ${actor}, ${now}) returning ${ADJUSTMENT}`);
  return rows[0]!;
}

export async function listReceipts(db: Queryable, companyId: number, page: PageBounds): Promise<ReceiptRow[]> {
  return db.query<ReceiptRow>(sql`
    select ${RECEIPT} from stock_receipts where company_id = ${companyId}
    order by id desc offset ${page.skip} limit ${page.take}`);
}

export async function findReceipt(db: Queryable, companyId: number, id: number): Promise<ReceiptRow | undefined> {
  const rows = await db.query<ReceiptRow>(sql`
    select ${RECEIPT} from stock_receipts where company_id = ${companyId} and id = ${id}`);
  return rows[0];
}

export async function insertReceipt(
  tx: Tx,
  companyId: number,
  { location_id, supplier, reference, lines }: Pick<ReceiptRow, 'location_id' | 'supplier' | 'reference' | 'lines'>,
  { actor, now }: Stamp,
): Promise<ReceiptRow> {
  const rows = await tx.query<ReceiptRow>(sql`
    insert into stock_receipts (company_id, location_id, supplier, reference, lines, actor, created_at)
    values (${companyId}, ${location_id}, ${supplier}, ${reference}, ${JSON.stringify(lines)}::jsonb, ${actor}, ${now})
    returning ${RECEIPT}`);
  return rows[0]!;
}

export async function listTransfers(
  db: Queryable,
  companyId: number,
  status: TransferStatus | undefined,
  page: PageBounds,
): Promise<TransferRow[]> {
  return db.query<TransferRow>(sql`
    select ${TRANSFER} from stock_transfers
    where company_id = ${companyId} ${status === undefined ? emptySql : sql`and status = ${status}`}
    order by id desc offset ${page.skip} limit ${page.take}`);
}

export async function findTransfer(db: Queryable, companyId: number, id: number): Promise<TransferRow | undefined> {
  const rows = await db.query<TransferRow>(sql`
    select ${TRANSFER} from stock_transfers where company_id = ${companyId} and id = ${id}`);
  return rows[0];
}

/** Locked before the stock. */
export async function lockTransfer(tx: Tx, companyId: number, id: number): Promise<TransferRow | undefined> {
  const rows = await tx.query<TransferRow>(sql`
    select ${TRANSFER} from stock_transfers where company_id = ${companyId} and id = ${id} for no key update`);
  return rows[0];
}

export type TransferValues = Pick<TransferRow, 'from_location_id' | 'to_location_id' | 'note' | 'lines'>;

export async function insertTransfer(
  tx: Tx,
  companyId: number,
  { from_location_id, to_location_id, note, lines }: TransferValues,
  { actor, now }: Stamp,
): Promise<TransferRow> {
  const rows = await tx.query<TransferRow>(sql`
    insert into stock_transfers (company_id, status, from_location_id, to_location_id, note, lines, actor, created_at, updated_at)
    values (${companyId}, 'draft', ${from_location_id}, ${to_location_id}, ${note}, ${JSON.stringify(lines)}::jsonb, ${actor},
      ${now}, ${now})
    returning ${TRANSFER}`);
  return rows[0]!;
}

export async function updateTransfer(
  tx: Tx,
  companyId: number,
  id: number,
  row: TransferValues & Pick<TransferRow, 'status' | 'sent_at'>,
  now: Date,
): Promise<TransferRow> {
  const rows = await tx.query<TransferRow>(sql`
    update stock_transfers set status = ${row.status}, from_location_id = ${row.from_location_id},
      to_location_id = ${row.to_location_id}, note = ${row.note}, lines = ${JSON.stringify(row.lines)}::jsonb,
      sent_at = ${row.sent_at}, updated_at = ${now}
    where company_id = ${companyId} and id = ${id} returning ${TRANSFER}`);
  return rows[0]!;
}
