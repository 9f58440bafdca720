import { bodyValue, type Field, type FieldContext, type Value, type Values } from './values.ts';

/** A changed field: what is typed, and the value that it started from. */
export interface Edit {
  value: Value;
  from: Value;
}
export type Edits = Readonly<Record<string, Edit>>;

/** Returns what a form shows: the stored values, overridden by what was typed. */
export function shownValues(stored: Values, edits: Edits): Values {
  return { ...stored, ...Object.fromEntries(Object.entries(edits).map(([name, { value }]) => [name, value])) };
}

export function withEdit(stored: Values, edits: Edits, name: string, value: Value): Edits {
  return { ...edits, [name]: { value, from: edits[name]?.from ?? stored[name] ?? '' } };
}

/** Whether the value sent to the API would differ from the one that the edit started from: `12.50` is no change of `12.5`. */
export function isChanged(field: Field, edit: Edit | undefined, context: FieldContext): boolean {
  if (edit === undefined) return false;
  const sent = (value: Value): string => JSON.stringify(bodyValue(field, value, context));
  return edit.value !== edit.from && sent(edit.value) !== sent(edit.from);
}

/** After a save: later edits start from what was sent, and what was typed meanwhile stays. */
export function afterSave(edits: Edits, sent: Values): Edits {
  return Object.fromEntries(
    Object.entries(edits).map(([name, edit]) => [name, { value: edit.value, from: sent[name] ?? edit.from }]),
  );
}

/** Leaves what is typed and lets other fields show what is stored. */
export function onlyChanged(edits: Edits, fields: readonly Field[], context: FieldContext): Edits {
  const byName = new Map(fields.map((field) => [field.name, field]));
  const entries = Object.entries(edits);
  const left = entries.filter(([name, edit]) => {
    const field = byName.get(name);
    return field === undefined || isChanged(field, edit, context);
  });
  return left.length === entries.length ? edits : Object.fromEntries(left);
}
