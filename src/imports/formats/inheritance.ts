import { CUSTOM, customKeysIn } from './custom-cells.ts';
import type { Fields, Inheritance } from './format.ts';

/** Set instead of the fields of another row that the file does not have: the reference to it. */
export const MISSING = 'missing_parent';
/** What a variant's row says of its product, as fields with this prefix: `of:name`. */
export const OF = 'of:';
/** Identifies the product of a variant's row within the file. */
export const FAMILY = '#family';
/** Set in the row of a product with variants: how many rows are its variants. */
export const CHILDREN = '#children';

/** Bytes kept for other rows, about 50,000 products with variations. Rows that refer to products beyond it are refused. */
const MAX_KEPT = 30_000_000;
/** Products with variants of a file. */
export const MAX_PARENTS = 200_000;
/** What a reference takes in addition to its text. */
const PER_REFERENCE = 200;

/** The longest field by far. It is kept from the product's row until its last variant, unless a variant comes before that row. */
const LONG = 'description';

interface Kept {
  key: string;
  /** Its row, counted among those that others can refer to. */
  row: number;
  fields: Fields;
  /** Variants that are still to come, and need the long field; null before the product's row is read, or if all rows can have it. */
  left: number | null;
  /** Whether there is no room for the long field: then its variants are refused. */
  tooLong: boolean;
}

/** The rows of a file that others refer to. All rows are added before the first is completed, each time the file is opened. */
export class Kin {
  private readonly inheritance: Inheritance;
  private readonly isGrouped: boolean;
  private readonly kept = new Map<string, Kept>();
  private readonly children = new Map<string, number>();
  private size = 0;
  /** Rows that others can refer to, added and completed. */
  private added = 0;
  private completed = 0;

  constructor(inheritance: Inheritance, isGrouped: boolean) {
    this.inheritance = inheritance;
    this.isGrouped = isGrouped;
  }

  add(fields: Fields): void {
    const { referenceIn, referencesTo, keeps } = this.inheritance;
    const reference = referenceIn(fields);
    if (reference !== undefined) {
      const before = this.children.get(reference);
      // Variants of further ones are refused when they are read.
      if (before === undefined && this.children.size >= MAX_PARENTS) return;
      this.children.set(before === undefined ? this.copied(reference) : reference, (before ?? 0) + 1);
      return;
    }
    const references = referencesTo(fields);
    if (references.length === 0) return;
    const row = ++this.added;
    if (this.size > MAX_KEPT) return;
    const own: Fields = {};
    const isAwaited = this.isGrouped && references.some((to) => this.children.has(to));
    const custom = customKeysIn(fields).map((key) => CUSTOM + key);
    for (const field of [...keeps, ...custom]) {
      if (fields[field] !== undefined && (field !== LONG || isAwaited)) own[field] = this.copied(fields[field]);
    }
    const kept: Kept = { key: references[0]!, row, fields: own, left: null, tooLong: false };
    for (const to of references) if (!this.kept.has(to)) this.kept.set(this.copied(to), kept);
    this.size += references.length * PER_REFERENCE;
  }

  /** Returns the fields of a row with those that it has from another. Call it for the rows as they were added. */
  complete(fields: Fields): Fields {
    const { referenceIn, referencesTo, inherit } = this.inheritance;
    const reference = referenceIn(fields);
    if (reference === undefined) {
      const references = referencesTo(fields);
      if (references.length === 0) return fields;
      const row = ++this.completed;
      // The others name an earlier row, which has the same reference.
      const own = references.filter((to) => this.kept.get(to)?.row === row);
      if (own.length > 0) this.hold(this.kept.get(own[0]!)!, fields, this.childrenOf(own));
      return { ...fields, [CHILDREN]: String(this.childrenOf(references)) };
    }
    const kept = this.kept.get(reference);
    if (!this.isGrouped || reference === '') {
      if (inherit === undefined) return fields;
      return kept === undefined && reference !== ''
        ? { ...fields, [MISSING]: reference }
        : inherit(fields, kept?.fields ?? {});
    }
    const joined = kept?.tooLong ? null : this.inheritance.join(fields, kept?.fields ?? null);
    if (kept !== undefined) this.release(kept);
    if (joined === null) return { ...fields, [MISSING]: reference };
    const next: Fields = { ...joined.own, [FAMILY]: kept?.key ?? reference };
    for (const [field, text] of Object.entries(joined.parent)) next[OF + field] = text;
    return next;
  }

  /** Keeps the long field of a product for its variants that follow. */
  private hold(kept: Kept, fields: Fields, children: number): void {
    const text = fields[LONG];
    if (!this.isGrouped || children === 0) return;
    if (text === undefined || kept.fields[LONG] !== undefined || !this.inheritance.keeps.includes(LONG)) return;
    kept.left = children;
    kept.tooLong = this.size + text.length > MAX_KEPT;
    if (!kept.tooLong) kept.fields[LONG] = this.copied(text);
  }

  private childrenOf(references: string[]): number {
    return references.reduce((sum, to) => sum + (this.children.get(to) ?? 0), 0);
  }

  private release(kept: Kept): void {
    if (kept.left === null || --kept.left > 0) return;
    this.size -= kept.fields[LONG]?.length ?? 0;
    delete kept.fields[LONG];
  }

  private copied(text: string): string {
    this.size += text.length;
    // A part of a text keeps all of it in memory.
    return Buffer.from(text).toString();
  }
}
