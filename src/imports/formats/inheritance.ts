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

/** Bytes kept for other rows, about 50,000 products with variations. Rows that refer to later ones are refused. */
const MAX_KEPT = 30_000_000;
/** Products with variants of a file. */
export const MAX_PARENTS = 200_000;
/** What a reference takes in addition to its text. */
const PER_REFERENCE = 200;

interface Kept {
  key: string;
  fields: Fields;
}

/** The rows of a file that others refer to. All rows are added before the first is completed, each time the file is opened. */
export class Kin {
  private readonly inheritance: Inheritance;
  private readonly isGrouped: boolean;
  private readonly kept = new Map<string, Kept>();
  private readonly children = new Map<string, number>();
  private size = 0;

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
    if (references.length === 0 || this.size > MAX_KEPT) return;
    const own: Fields = {};
    const custom = customKeysIn(fields).map((key) => CUSTOM + key);
    for (const field of [...keeps, ...custom]) if (fields[field] !== undefined) own[field] = this.copied(fields[field]);
    const kept: Kept = { key: references[0]!, fields: own };
    for (const to of references) if (!this.kept.has(to)) this.kept.set(this.copied(to), kept);
    this.size += references.length * PER_REFERENCE;
  }

  /** Returns the fields of a row with those that it has from another. Call it in the order of the file. */
  complete(fields: Fields): Fields {
    const { referenceIn, referencesTo, inherit } = this.inheritance;
    const reference = referenceIn(fields);
    if (reference === undefined) {
      const references = referencesTo(fields);
      if (references.length === 0) return fields;
      const children = references.reduce((sum, to) => sum + (this.children.get(to) ?? 0), 0);
      return { ...fields, [CHILDREN]: String(children) };
    }
    const kept = this.kept.get(reference);
    if (!this.isGrouped || reference === '') {
      if (inherit === undefined) return fields;
      return kept === undefined && reference !== ''
        ? { ...fields, [MISSING]: reference }
        : inherit(fields, kept?.fields ?? {});
    }
    const joined = this.inheritance.join(fields, kept?.fields ?? null);
    if (joined === null) return { ...fields, [MISSING]: reference };
    const next: Fields = { ...joined.own, [FAMILY]: kept?.key ?? reference };
    for (const [field, text] of Object.entries(joined.parent)) next[OF + field] = text;
    return next;
  }

  private copied(text: string): string {
    this.size += text.length;
    // A part of a text keeps all of it in memory.
    return Buffer.from(text).toString();
  }
}
