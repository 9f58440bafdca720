import { setTimeout as sleep } from 'node:timers/promises';
import Type from 'typebox';
import { describe, expect, test } from 'vitest';
import { JsonPages, Streamed } from '../../lib/streamed.ts';
import { streamOf, streamWriterOf } from './streaming.ts';

async function* listed<T>(values: T[]): AsyncGenerator<T> {
  yield* values;
}
async function whole(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}
const nothing = { onError: () => {}, onEnd: () => {} };

describe('the writer', () => {
  const schema = Type.Object({
    who: Type.Object({ name: Type.String() }),
    first: Type.Array(Type.Object({ n: Type.Integer() })),
    second: Type.Array(Type.Integer()),
    none: Type.Array(Type.Integer()),
  });
  const write = streamWriterOf(schema);

  test('writes values and pages as the schema says, in its order', async () => {
    const response = new Streamed<object>({
      none: new JsonPages(listed<string[]>([])),
      second: [1, 2],
      first: new JsonPages(listed([['{"n":1}', '{"n":2}'], [], ['{"n":3}']])),
      who: { name: 'Ann "A"', secret: 'x' },
    });
    const first = [{ n: 1 }, { n: 2 }, { n: 3 }];
    expect(JSON.parse(await whole(write(response)))).toEqual({
      who: { name: 'Ann "A"' },
      first,
      second: [1, 2],
      none: [],
    });
  });

  test('sends pages as they come, not as one text', async () => {
    const page = Array.from({ length: 100 }, () => `"${'x'.repeat(1_000)}"`);
    const pages = new JsonPages(listed([page, page, page]));
    const pieces: string[] = [];
    const texts = streamWriterOf(Type.Object({ all: Type.Array(Type.String()) }));
    for await (const piece of texts(new Streamed<object>({ all: pages }))) pieces.push(piece);
    expect(pieces).toHaveLength(4);
    expect(JSON.parse(pieces.join('')).all).toHaveLength(300);
  });

  test('writes an object without fields', async () => {
    expect(await whole(streamWriterOf(Type.Object({}))(new Streamed({})))).toBe('{}');
  });
});

describe('the stream', () => {
  /** An endless stream of pieces that counts them and records when it was ended. */
  function endless() {
    const seen = { pieces: 0, ended: false };
    async function* pieces(): AsyncGenerator<string> {
      try {
        for (;;) {
          seen.pieces++;
          yield 'x'.repeat(10_000);
        }
      } finally {
        seen.ended = true;
      }
    }
    return { seen, pieces: pieces() };
  }

  test('asks for no more than the client takes, and for nothing once it is destroyed', async () => {
    const { seen, pieces } = endless();
    let ends = 0;
    const stream = streamOf(pieces, { ...nothing, onEnd: () => ends++ });
    stream.read(1);
    await sleep(50);
    expect(seen.pieces).toBeLessThan(12);
    stream.destroy();
    await expect.poll(() => [seen.ended, ends]).toEqual([true, 1]);
  });

  test('ends for a client that takes nothing', async () => {
    const { seen, pieces } = endless();
    let ends = 0;
    const errors: unknown[] = [];
    const stream = streamOf(pieces, { onEnd: () => ends++, onError: (error) => errors.push(error), stallMs: 50 });
    stream.read(1);
    await expect.poll(() => [seen.ended, ends]).toEqual([true, 1]);
    expect(errors).toEqual([]);
  });

  test('closes what its pieces are read from, also where none was read or one is awaited', async () => {
    for (const begins of [false, true]) {
      let closed = 0;
      let release = (): void => {};
      async function* awaited(): AsyncGenerator<string> {
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        yield 'x';
      }
      let ends = 0;
      const close = async (): Promise<void> => {
        closed++;
        release();
      };
      const stream = streamOf(awaited(), { ...nothing, onEnd: () => ends++, close });
      if (begins) stream.read(1);
      await sleep(5);
      stream.destroy();
      await expect.poll(() => [closed, ends]).toEqual([1, 1]);
    }
  });

  test('closes it when all was taken', async () => {
    let closed = 0;
    const close = async (): Promise<void> => {
      closed++;
    };
    expect(await whole(streamOf(listed(['x', '', 'y']), { ...nothing, close }))).toBe('xy');
    await expect.poll(() => closed).toBe(1);
  });

  test('ends after its limit, however well the client takes it', async () => {
    const { seen, pieces } = endless();
    const errors: unknown[] = [];
    let ends = 0;
    const stream = streamOf(pieces, { onEnd: () => ends++, onError: (error) => errors.push(error), limitMs: 50 });
    const reading = setInterval(() => stream.read(), 5);
    await expect.poll(() => [seen.ended, ends, errors.length]).toEqual([true, 1, 1]);
    clearInterval(reading);
  });

  test('goes on for a client that is slow', async () => {
    const pieces = Array.from({ length: 30 }, () => 'x'.repeat(20_000));
    let length = 0;
    for await (const piece of streamOf(listed(pieces), { ...nothing, stallMs: 2_000 })) {
      await sleep(10);
      length += (piece as Buffer).length;
    }
    expect(length).toBe(600_000);
  });

  test('fails where a piece cannot be read, and says so', async () => {
    async function* failing(): AsyncGenerator<string> {
      yield 'x';
      throw new Error('the database is away');
    }
    const errors: unknown[] = [];
    let ends = 0;
    const stream = streamOf(failing(), { onError: (error) => errors.push(error), onEnd: () => ends++ });
    await expect(whole(stream)).rejects.toThrow('the database is away');
    expect([errors.length, ends]).toEqual([1, 1]);
  });
});
