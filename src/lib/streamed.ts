/** An array whose pages are read while it is sent. The elements are JSON texts already. */
export class JsonPages {
  readonly pages: AsyncIterable<readonly string[]>;

  constructor(pages: AsyncIterable<readonly string[]>) {
    this.pages = pages;
  }
}

export type StreamedFields<T> = {
  [Key in keyof T]: T[Key] | (T[Key] extends readonly unknown[] ? JsonPages : never);
};

/** The response of an endpoint that `streams`: its fields, in the order of the schema. */
export class Streamed<T extends object = object> {
  readonly fields: StreamedFields<T>;

  constructor(fields: StreamedFields<T>) {
    this.fields = fields;
  }
}

/** For pieces that hold a resource until they have been read. */
export interface Held {
  /** Releases it. Called when the response has ended, however it ended and even if no piece was read. */
  close?: () => Promise<void>;
  /** How long it may be held. */
  limitMs?: number;
}

/** The response of an endpoint that `streams` and whose `contentType` is not JSON: pieces, in order, and the name of the file. */
export class StreamedText {
  readonly pieces: AsyncIterable<string | Uint8Array>;
  readonly fileName: string;
  readonly held: Held;

  constructor(pieces: AsyncIterable<string | Uint8Array>, fileName: string, held: Held = {}) {
    this.pieces = pieces;
    this.fileName = fileName;
    this.held = held;
  }
}

/** Reads the first value at once, so that a refusal is thrown now. The result yields all values, including the first. */
export async function begun<T>(values: AsyncGenerator<T, void>): Promise<AsyncIterable<T>> {
  const first = await values.next();
  return (async function* () {
    if (first.done !== true) yield first.value;
    yield* values;
  })();
}
