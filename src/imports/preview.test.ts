import { beforeAll, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../testing/harness.ts';
import { firstRows } from './preview.ts';
import { TestImports } from './testing/imports.ts';

const server = testServer({ impatient: true, described: true });
let shop: TestCompany;
let imports: TestImports;

beforeAll(async () => {
  shop = await server.company();
  imports = new TestImports(server, shop);
});

/** A file that begins with the header, repeats the line without end, and counts what was read of it. */
function endless(line: string) {
  const read = { length: 0 };
  async function* text(): AsyncGenerator<string> {
    yield 'email,name\n';
    for (;;) {
      const piece = line.repeat(Math.ceil(32_768 / line.length));
      read.length += piece.length;
      yield piece;
    }
  }
  return { read, text: text() };
}

test.each([
  ['empty lines', '\n', 70_000],
  ['short rows with wrong quotes', '"a"b,c\n', 200_000],
  ['long rows with wrong quotes', `"${'a'.repeat(500_000)}"b,c\n`, 9_000_000],
])('a preview of %s looks at the beginning of the file alone', async (_what, line, most) => {
  const { read, text } = endless(line);
  expect(await firstRows(text)).toEqual([['email', 'name']]);
  expect(read.length).toBeLessThan(most);
});

test('it is shown for a file with more empty lines than a file may have', async () => {
  const id = await imports.upload('csv-contacts', `email\n${'\n'.repeat(1_600_000)}`);
  const previews = await Promise.all(Array.from({ length: 4 }, () => shop.commerce('GET', `/imports/${id}/preview`)));
  expect(previews.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(previews[0]!.body.data).toMatchObject({ header: ['email'], sample: [] });
});

test('previews take turns, and those of a company that are too many are refused', async () => {
  const row = `"${'a'.repeat(400_000)}"b\n`;
  const id = await imports.upload('csv-contacts', `email\n${row.repeat(12)}`);
  const asked = Array.from({ length: 20 }, () => shop.commerce('GET', `/imports/${id}/preview`));
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
});
