import type { Fields, Inheritance } from './format.ts';

/** Characters kept for later rows, of 100,000 products some 200 each. Rows that refer to a product beyond them take nothing from it. */
const MAX_KEPT = 20_000_000;

/** Completes the fields of rows in the order of the file. */
export function inheritor({ referencesTo, referenceIn, keeps, inherit }: Inheritance): (fields: Fields) => Fields {
  const kept = new Map<string, Fields>();
  let length = 0;
  return (fields) => {
    const reference = referenceIn(fields);
    if (reference !== undefined) return inherit(fields, kept.get(reference) ?? {});
    const references = referencesTo(fields);
    if (references.length === 0 || length > MAX_KEPT) return fields;
    const given = keeps.flatMap((field) => (fields[field] === undefined ? [] : [[field, fields[field]] as const]));
    for (const text of [...references, ...given.map(([, text]) => text)]) length += text.length;
    for (const reference of references) kept.set(reference, Object.fromEntries(given));
    return fields;
  };
}
