import { expect, test } from 'vitest';
import { processorMs } from '../../lib/threads/processor-time.ts';
import { MAX_RECORD_BYTES } from './records.ts';
import { type CsvRow, MAX_ROWS, rowsOf } from './rows.ts';

/** Yields a header and `rows` rows, in pieces. */
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

/** Returns the rows of a file that arrives in pieces of `piece` characters. */
async function rowsIn(file: string, piece: number): Promise<CsvRow[]> {
  async function* pieces(): AsyncGenerator<string> {
    for (let at = 0; at < file.length; at += piece) yield file.slice(at, at + piece);
  }
  const rows: CsvRow[] = [];
  for await (const page of rowsOf(pieces())) rows.push(...page);
  return rows;
}

test('each row ends at its own line end, whichever the first one has', async () => {
  for (const first of ['\r\n', '\n']) {
    const file = `name,email${first}A,a@example.com\nB,b@example.com\r\n"C\r\nc\nc",c@example.com\n\nD,d@example.com`;
    for (const piece of [11, 12, 29, 1_000]) {
      expect(await rowsIn(file, piece), `${piece}`).toEqual([
        { row: 1, cells: ['name', 'email'] },
        { row: 2, cells: ['A', 'a@example.com'] },
        { row: 3, cells: ['B', 'b@example.com'] },
        { row: 4, cells: ['C\r\nc\nc', 'c@example.com'] },
        { row: 6, cells: ['D', 'd@example.com'] },
      ]);
    }
  }
  // Spreadsheets of old Macs end rows with CR; in other files a CR is part of its cell.
  expect((await rowsIn('name\rA\rB', 100)).map(({ cells }) => cells)).toEqual([['name'], ['A'], ['B']]);
  expect((await rowsIn('name\nA\rB', 100)).map(({ cells }) => cells)).toEqual([['name'], ['A\rB']]);
});

test('a row with several wrong quotes is one row', async () => {
  const fault = 'The quotes of this row are wrong';
  const file = 'name,email\n"a "b" c",a@example.com\nx"y"z,"a"b"\n"l\n"m" n",x\nD,d@example.com\n';
  expect(await rowsIn(file, 1_000)).toEqual([
    { row: 1, cells: ['name', 'email'] },
    { row: 2, cells: ['"a "b" c",a@example.com'], fault },
    { row: 3, cells: ['x"y"z,"a"b"'], fault },
    { row: 4, cells: ['"l'], fault },
    { row: 5, cells: ['"m" n",x'], fault },
    { row: 6, cells: ['D', 'd@example.com'] },
  ]);
});

test('a quote that is not closed costs its own line only', async () => {
  const fault = 'The quotes of this row are wrong';
  const rest = ['B,b@example.com', '"C","c@example.com"', '"D\nd",d@example.com', '"E ""e""",e@example.com', '""'];
  const read = [
    ['B', 'b@example.com'],
    ['C', 'c@example.com'],
    ['D\nd', 'd@example.com'],
    ['E "e"', 'e@example.com'],
  ];
  for (const end of ['\n', '\r\n']) {
    for (const open of ['"Jo,jo@example.com', 'Jo,"jo@example.com', '"Jo ""jo""', '"é–😀']) {
      // At the end of the file no quote follows that could be wrong.
      for (const lines of [
        [open, ...rest],
        [...rest, open],
        [open, ...rest, open],
      ]) {
        const expected = lines.flatMap((line, i): CsvRow[] => {
          if (line === '""') return [];
          const cells = read[rest.indexOf(line)];
          return [cells === undefined ? { row: i + 2, cells: [line], fault } : { row: i + 2, cells }];
        });
        const file = ['name,email', ...lines, ''].join(end);
        for (const piece of [1, 7, 32_768]) {
          expect((await rowsIn(file, piece)).slice(1), JSON.stringify([file, piece])).toEqual(expected);
        }
      }
    }
  }
});

test('a quote that is not closed within the longest row costs its own line only', async () => {
  const others = Array.from({ length: 60_000 }, (_, i) => `name ${i},n${i}@example.com`);
  expect(others.join('\n').length).toBeGreaterThan(MAX_RECORD_BYTES);
  const rows = await rowsIn(['name,email', '"Jo,jo@example.com', ...others].join('\n'), 32_768);
  expect(rows).toHaveLength(2 + others.length);
  expect(rows[1]).toEqual({ row: 2, cells: ['"Jo,jo@example.com'], fault: 'The quotes of this row are wrong' });
  expect(rows.at(-1)).toEqual({ row: 60_002, cells: ['name 59999', 'n59999@example.com'] });
  // A line that is as long is no row.
  await expect(rowsIn(`name,email\n"${'x'.repeat(MAX_RECORD_BYTES)}\nB,b@example.com`, 32_768)).rejects.toMatchObject({
    code: 'bad_request',
    message: expect.stringContaining(`Row 2 is longer than ${MAX_RECORD_BYTES} characters`),
  });
});

/** The least of three measurements: the process also collects garbage, and compiles. */
async function least(measure: () => Promise<number>): Promise<number> {
  return Math.min(await measure(), await measure(), await measure());
}

test('takes time in proportion to its length, however many quotes are wrong', { timeout: 60_000 }, async () => {
  const took = async (lines: number, line: string): Promise<number> => {
    const began = processorMs();
    await rowsIn(`name,email\n${line.repeat(lines)}`, 32_768);
    return processorMs() - began;
  };
  // The faults of one line, as many as it has quotes.
  expect(await least(() => took(1, `x${'"y'.repeat(16_000)}\n`))).toBeLessThan(500);
  for (const line of ['"a"b\n', '"a\n', 'a"\n', '"""\n', '"a""\n', ',""""x\n', ',"""x\n', '"\n""\n', '"a\n""\n']) {
    await took(500, line);
    const short = await least(() => took(500, line));
    expect(await least(() => took(5_000, line)), JSON.stringify(line)).toBeLessThan(30 * short + 50);
  }
});

test('a first line that names the delimiter is no row', async () => {
  for (const [delimiter, end] of [
    [';', '\r\n'],
    ['\t', '\n'],
    [',', '\r'],
  ]) {
    const file = [`sep=${delimiter}`, ['name', 'a,b;c|d'].join(delimiter), ['A', '"x"'].join(delimiter), ''].join(end);
    const [header, first] = await rowsIn(file, 1_000);
    expect(header).toMatchObject({ row: 1, cells: expect.arrayContaining(['name']) });
    expect(first).toEqual({ row: 2, cells: ['A', 'x'] });
  }
  // However the bytes of the file come.
  for (const piece of [1, 3, 5, 6, 7])
    expect(await rowsIn('sep=;\r\nname;a,b\r\nA;x', piece)).toEqual([
      { row: 1, cells: ['name', 'a,b'] },
      { row: 2, cells: ['A', 'x'] },
    ]);
  expect(await rowsIn('sep=;', 100)).toEqual([{ row: 1, cells: ['sep=', ''] }]);
});

test('a row with more cells than the file has columns is a fault, unless those behind are empty', async () => {
  const file = 'email,name\na@example.com,Smith, John\nb@example.com,B,, \nc@example.com\n';
  expect((await rowsIn(file, 1_000)).slice(1)).toEqual([
    {
      row: 2,
      cells: ['a@example.com', 'Smith', ' John'],
      fault: 'The row has 3 cells, and the file 2 columns',
    },
    { row: 3, cells: ['b@example.com', 'B', '', ' '] },
    { row: 4, cells: ['c@example.com'] },
  ]);
});

test('lets others run, however many records a piece of the file has', { timeout: 60_000 }, async () => {
  const longestTurn = async (file: string): Promise<number> => {
    let longest = 0;
    let hasEnded = false;
    let before = processorMs();
    const watch = (): void => {
      const now = processorMs();
      longest = Math.max(longest, now - before);
      before = now;
      if (!hasEnded) setImmediate(watch);
    };
    setImmediate(watch);
    await rowsIn(file, 32_768);
    hasEnded = true;
    return longest;
  };
  for (const line of ['\n', 'a\n', 'a,b,c\n', '"a"b\n', ',\n']) {
    const file = `email,name\n${line.repeat(70_000 / line.length)}`;
    expect(await least(() => longestTurn(file)), JSON.stringify(line)).toBeLessThan(60);
  }
});
