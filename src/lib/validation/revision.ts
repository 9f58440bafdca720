import Type from 'typebox';
import { AppError } from '../../errors.ts';

/** The revisions that a request's If-Match accepts; `any` for `*`. */
export type IfMatch = ReadonlySet<number> | 'any';

export const Revision = Type.Integer({
  minimum: 1,
  description: 'Raised by each change that a save makes; `If-Match: "<revision>"` refuses a save over another one',
});

const TAGS = /^(W\/)?"([^"]*)"$/;

/**
 * Parses If-Match: `*`, or entity tags such as `"7"` separated by commas; a bare `7` counts as one. Null without the
 * header. A tag that is not a revision, or is weak, matches none.
 * @throws AppError bad_request where it is none of these
 */
export function readIfMatch(header: string | undefined): IfMatch | null {
  if (header === undefined) return null;
  const text = header.trim();
  if (text === '*') return 'any';
  const revisions = text.split(',').map((part) => revisionOf(part.trim()));
  return new Set(revisions.filter((revision) => revision !== null));
}

function revisionOf(tag: string): number | null {
  if (/^\d{1,15}$/.test(tag)) return Number(tag);
  const match = TAGS.exec(tag);
  if (match === null) throw new AppError('bad_request', 'If-Match must be a revision in quotation marks, such as "7"');
  const [, weak, value = ''] = match;
  return weak === undefined && /^\d{1,15}$/.test(value) ? Number(value) : null;
}

/**
 * Refuses to overwrite a revision that If-Match does not accept. `revision` is that of the row, which the transaction has locked.
 * @throws AppError revision_mismatch
 */
export function requireRevision(ifMatch: IfMatch | null, revision: number): void {
  if (ifMatch === null || ifMatch === 'any' || ifMatch.has(revision)) return;
  const message = `The record has changed: its revision is now ${revision}`;
  throw new AppError('revision_mismatch', message, {
    revision,
    fields: [{ field: 'If-Match', code: 'revision_mismatch', message }],
  });
}
