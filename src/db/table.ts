/**
 * What a table means to the features that treat many tables alike: exports, erasures, retention, the audit log and src/db/schema.sql. Each
 * table is declared once, in `tables.ts` of the folder that writes it. src/tables.ts lists the declarations.
 */
export interface TableDeclaration {
  /** What a row is, in one sentence. */
  description: string;
  /**
   * How an export of a company treats the rows. `rows` (the default): exported. `totals`: kept by triggers, and for data removed because of
   * its age all that is left; exported, and loaded last in place of what the triggers made. `omitted`: the reason for not exporting them.
   */
  export?: 'rows' | 'totals' | { omitted: string };
  /** Columns that an export omits: secrets, password hashes, and columns that the database generates from others. */
  notExported?: readonly string[];
  /** Triggers insert rows while an export is loaded. These are deleted before the exported rows are inserted. */
  filledByTriggers?: true;
  /** Sequences that no identity column owns, by the column that they number. */
  sequences?: Readonly<Record<string, string>>;
  /** What an erasure does to a person's rows, in addition to the steps in src/erasure. */
  erasure?: RowErasure;
  /** Columns with names, rules or filters that staff wrote, in which an erasure replaces the person's addresses. */
  staffTexts?: StaffTexts;
  /** What happens to a row when the record that one of its columns identifies is removed. */
  references?: Readonly<Record<string, ReferenceRule>>;
  /** Rows are deleted by age without any other condition than these. */
  retention?: RowRetention;
  /** Records in the audit log, by the prefix of their paths in the API. */
  audit?: Readonly<Record<string, AuditedRecord>>;
  /** Other folders with statements that write the table. */
  alsoWrittenBy?: readonly string[];
}

export type RowErasure =
  /** A contact's rows are deleted. */
  | { deleteBy: 'contact_id' }
  /** A customer's rows are kept with these columns set to SQL expressions. `rowsPerSlice`: how many one slice scans. */
  | { emptyBy: 'customer_id'; set: Readonly<Record<string, string>>; rowsPerSlice: number }
  /** The same for rows of a table with `emptyBy`: `column` identifies their row there. */
  | { emptyWith: string; column: string; set: Readonly<Record<string, string>> };

/** `flow`: a definition, in which an address counts only as a whole value and outside of webhook steps, whose requests stay unchanged. */
export type StaffText = 'text' | 'texts' | 'json' | 'flow';

export interface StaffTexts {
  /** The key after company_id, or its first column. Default: `id`. */
  key?: string;
  columns: Readonly<Record<string, StaffText>>;
  /** Records that one slice scans. Default: 20. */
  rowsPerSlice?: number;
}

/**
 * For columns that identify a message, run, event, contact, customer or order. `goes`: the row is removed with it, or before it. `ends`: it
 * is not removed while the row exists. `stays`: the row is useful without it. `erasure`: retention never removes it; an erasure or a merge
 * does. `kept`: it is never removed.
 */
export type ReferenceRule = 'goes' | 'ends' | 'stays' | 'erasure' | 'kept';

export interface RowRetention {
  /** The kind in src/retention/kinds.ts. */
  kind: string;
  createdAt: string;
  /** The column with the time at which a row was finished, and the condition for being finished. Default: rows are finished from the start. */
  finished?: { at: string; when: string };
  /** Restricts the rows examined; the condition of a partial index. */
  among?: string;
}

export interface AuditedRecord {
  noun: string;
  /**
   * `customer`, `contact`: the record is one. `customer_id`: the field that identifies its customer. `nobody`: it holds no data about the
   * shop's people. `several`: about people identified in other ways, so their values are not stored.
   */
  about: 'customer' | 'contact' | 'customer_id' | 'nobody' | 'several';
  /** Its names, rules and texts may contain addresses of people, which are not stored. */
  mayName?: boolean;
}

export interface Table extends TableDeclaration {
  name: string;
  /** The folder in src/ that writes the table. */
  folder: string;
}

export function declareTables(folder: string, declarations: Readonly<Record<string, TableDeclaration>>): Table[] {
  return Object.entries(declarations).map(([name, declaration]) => ({ ...declaration, name, folder }));
}
