/** An array of which each page is read when it is sent. The elements are JSON texts already. */
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

/** For pieces that hold something until they have been read. */
export interface Held {
  /** Lets go of it. Called when the response has ended, however it did and also where no piece was read. */
  close?: () => Promise<void>;
  /** So long it may be held. */
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

/** Reads the first one at once, so that what is refused is refused now. All are then given, the first one too. */
export async function begun<T>(values: AsyncGenerator<T, void>): Promise<AsyncIterable<T>> {
  const first = await values.next();
  return (async function* () {
    if (first.done !== true) yield first.value;
    yield* values;
  })();
}
