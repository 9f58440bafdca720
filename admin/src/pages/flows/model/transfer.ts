import { readClip } from './clipboard.ts';
import { type Draft, draftOf } from './draft.ts';

/** Exports a flow as a file: its editable parts, without numbers and ids. */
export function textOfFlow(flow: Draft): string {
  return `${JSON.stringify({ tradeloom: 'flow', ...draftOf(flow) }, null, 2)}\n`;
}

/** Parses a flow's file into the API's form for a new flow; null if it is not one. The server validates the parts. */
export function readFlow(text: string): Draft | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const given = value as Partial<Draft>;
  const named = typeof given.name === 'string' && typeof given.trigger_type === 'string';
  if (!named || !Array.isArray(given.steps)) return null;
  if (given.steps.length > 0 && readClip(text) === null) return null;
  const parts = Object.entries(draftOf(given as Draft)).filter(([, part]) => part !== undefined);
  return Object.fromEntries(parts) as unknown as Draft;
}
