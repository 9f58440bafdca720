import type { Fields, Inheritance } from './format.ts';

/** Set instead of the fields of an earlier row that the file does not have: the reference to it. */
export const MISSING = 'missing_parent';

/** Bytes kept for later rows, about 50,000 products with variations. Rows that refer to later ones are refused. */
const MAX_KEPT = 30_000_000;
/** What a reference takes in addition to its text. */
const PER_REFERENCE = 200;

/** Completes the fields of rows in the order of the file. */
export function inheritor({ referencesTo, referenceIn, keeps, inherit }: Inheritance): (fields: Fields) => Fields {
  const kept = new Map<string, Fields>();
  let size = 0;
  const copied = (text: string): string => {
    size += text.length;
    // A part of a text keeps all of it in memory.
    return Buffer.from(text).toString();
  };
  return (fields) => {
    const reference = referenceIn(fields);
    if (reference !== undefined) {
      const from = kept.get(reference);
      return from === undefined && reference !== '' ? { ...fields, [MISSING]: reference } : inherit(fields, from ?? {});
    }
    const references = referencesTo(fields);
    if (references.length === 0 || size > MAX_KEPT) return fields;
    const own: Fields = {};
    for (const field of keeps) if (fields[field] !== undefined) own[field] = copied(fields[field]);
    for (const to of references) kept.set(copied(to), own);
    size += references.length * PER_REFERENCE;
    return fields;
  };
}
