import type { TObject } from 'typebox';
import { AppError } from '../../errors.ts';
import { isStorable } from '../../lib/storable.ts';

/** Reads path parameters. @throws AppError not_found for an integer that is not an id, and for text that cannot be stored */
export function compileParams(schema: TObject): (params: Record<string, string>) => Record<string, unknown> {
  const kinds = Object.entries(schema.properties).map(
    ([name, property]) => [name, (property as { type?: string }).type] as const,
  );
  return (params) => {
    const read: Record<string, unknown> = {};
    for (const [name, kind] of kinds) {
      const text = params[name] ?? '';
      if (kind !== 'integer') {
        if (!isStorable(text)) throw new AppError('not_found', 'Not found');
        read[name] = text;
        continue;
      }
      const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
      if (!Number.isSafeInteger(id)) throw new AppError('not_found', 'Not found');
      read[name] = id;
    }
    return read;
  };
}
