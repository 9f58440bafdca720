import { expect, test } from 'vitest';
import { MAX_ROWS, rowsOf } from './rows.ts';

/** A header and so many rows, in pieces. */
async function* text(rows: number): AsyncGenerator<string> {
  yield 'email\n';
  const piece = 10_000;
  for (let left = rows; left > 0; left -= piece) yield 'a\n'.repeat(Math.min(piece, left));
}

async function count(rows: number): Promise<number> {
  let n = 0;
  for await (const page of rowsOf(text(rows))) n += page.length;
  return n;
}

test('a file has as many rows below its header as it may have, and is refused with one more', {
  timeout: 60_000,
}, async () => {
  expect(await count(MAX_ROWS)).toBe(MAX_ROWS + 1);
  await expect(count(MAX_ROWS + 1)).rejects.toMatchObject({
    code: 'bad_request',
    message: `A file has at most ${MAX_ROWS} rows`,
  });
});
