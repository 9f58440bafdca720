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

/** The response of an endpoint that `streams` and whose `contentType` is not JSON: pieces, in order, and the name of the file. */
export class StreamedText {
  readonly pieces: AsyncIterable<string | Uint8Array>;
  readonly fileName: string;

  constructor(pieces: AsyncIterable<string | Uint8Array>, fileName: string) {
    this.pieces = pieces;
    this.fileName = fileName;
  }
}
