import { bodyValue, type Field, type FieldContext, type Value, type Values } from './values.ts';

/** A field that was changed: what is typed, and what it is a change of. */
export interface Edit {
  value: Value;
  from: Value;
}
export type Edits = Readonly<Record<string, Edit>>;

/** What a form shows: what is stored now, and over it what was typed. */
export function shownValues(stored: Values, edits: Edits): Values {
  return { ...stored, ...Object.fromEntries(Object.entries(edits).map(([name, { value }]) => [name, value])) };
}

export function withEdit(stored: Values, edits: Edits, name: string, value: Value): Edits {
  return { ...edits, [name]: { value, from: edits[name]?.from ?? stored[name] ?? '' } };
}

/** Whether the API would be sent something else than what the change began with: `12.50` is no change of `12.5`. */
export function isChanged(field: Field, edit: Edit | undefined, context: FieldContext): boolean {
  if (edit === undefined) return false;
  const sent = (value: Value): string => JSON.stringify(bodyValue(field, value, context));
  return edit.value !== edit.from && sent(edit.value) !== sent(edit.from);
}

/** After a save: what was sent is what later changes begin with, and what was typed meanwhile stays. */
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
