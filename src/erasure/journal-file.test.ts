import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createJournalFile, type JournalEntry } from './journal-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'tradeloom-journal-'));
afterAll(() => rmSync(folder, { recursive: true }));

function entry(key: string): JournalEntry {
  return { key, at: '2026-01-01T00:00:00.000Z', company_id: 1, customer_id: 2, contact_ids: [], suppressed: [] };
}

const ONE = JSON.stringify(entry('one'));
const TWO = JSON.stringify(entry('two'));

function fileOf(text: string) {
  const path = join(folder, 'erasures.log');
  writeFileSync(path, text);
  return createJournalFile(path);
}

describe('a named journal of erasures', () => {
  test.each([
    ['nothing', '', []],
    ['its lines', `${ONE}\n${TWO}\n`, ['one', 'two']],
    ['a line that a crash truncated, at the end', `${ONE}\n${TWO.slice(0, 30)}`, ['one']],
    ['a line that a crash truncated after a few bytes', `${ONE}\n${TWO.slice(0, 3)}`, ['one']],
    ['a truncated line that others follow', `${ONE.slice(0, -1)}\n${TWO}\n`, ['two']],
    ['zeros that a crash left', `${ONE}\n\0\0\0\0\n${TWO}\n`, ['one', 'two']],
    ['ends of lines as Windows writes them', `${ONE}\r\n${TWO}\r\n`, ['one', 'two']],
  ])('is read with %s', async (_, text, keys) => {
    const read = await fileOf(text).readNamed();
    expect(read.map(({ key }) => key)).toEqual(keys);
  });

  test.each([
    ['another text', 'Shopping list\n', 1],
    ['a JSON file', '{\n  "name": "tradeloom"\n}\n', 2],
    ['lines of JSON of something else', `${ONE}\n{"level":30,"msg":"ready"}\n`, 2],
    ['lines of JSON that have a key, too', '{"key":"a","value":1}\n', 1],
    ['binary data', '\x1f\x8b\x08\x01', 1],
  ])('is refused with %s', async (_, text, line) => {
    await expect(fileOf(text).readNamed()).rejects.toThrow(`no journal of erasures: its line ${line} is`);
    await expect(fileOf(text).read()).resolves.toBeInstanceOf(Array);
  });

  test('is refused if the file does not exist; the journal of the settings may be missing', async () => {
    const missing = createJournalFile(join(folder, 'none.log'));
    await expect(missing.readNamed()).rejects.toThrow(/none\.log cannot be read: the file does not exist$/);
    await expect(createJournalFile(folder).readNamed()).rejects.toThrow(/cannot be read: EISDIR/);
    await expect(missing.read()).resolves.toEqual([]);
  });
});
