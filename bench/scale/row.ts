const POSTGRES_EPOCH_MS = Date.UTC(2000, 0, 1);
const TEXT_OID = 25;
/** Holds the rows between two chunks; no row reaches 64 kB. */
const CAPACITY = 1 << 18;
const CHUNK_BYTES = 1 << 17;
/** For longer texts a call of `write` is faster than a loop over the characters. */
const SHORT_CHARACTERS = 24;

/**
 * Writes fields of rows in the binary format of COPY, one after the other; null is NULL. An event takes 0.8 µs to write
 * and PostgreSQL 2.4 µs to read; as text, 5 µs and 5 µs: dates cost the most.
 */
export class Row {
  readonly #bytes = Buffer.allocUnsafe(CAPACITY);
  readonly #view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset, CAPACITY);
  #end = 0;

  int2(value: number): this {
    this.#length(2);
    return this.#int16(value);
  }

  int4(value: number): this {
    return this.#length(4).#int32(value);
  }

  /** Exact up to 2^53. */
  int8(value: number | null): this {
    return value === null ? this.null() : this.#length(8).#int64(value);
  }

  bool(value: boolean): this {
    this.#length(1).#bytes[this.#end++] = value ? 1 : 0;
    return this;
  }

  text(value: string | null): this {
    return value === null ? this.null() : this.#string(value, 0);
  }

  /** Takes its text. */
  jsonb(value: string): this {
    return this.#string(value, 1);
  }

  texts(values: readonly string[]): this {
    const start = this.#end;
    this.#length(0)
      .#int32(values.length === 0 ? 0 : 1)
      .#int32(0)
      .#int32(TEXT_OID);
    if (values.length > 0) this.#int32(values.length).#int32(1);
    for (const value of values) this.text(value);
    this.#view.setInt32(start, this.#end - start - 4);
    return this;
  }

  bytea(value: Buffer | null): this {
    if (value === null) return this.null();
    this.#length(value.length);
    this.#end += value.copy(this.#bytes, this.#end);
    return this;
  }

  /** Milliseconds since 1970, or -Infinity. */
  timestamptz(ms: number | null): this {
    if (ms === null) return this.null();
    this.#length(8);
    if (ms !== Number.NEGATIVE_INFINITY) return this.#int64((ms - POSTGRES_EPOCH_MS) * 1_000);
    return this.#int32(-0x8000_0000).#int32(0);
  }

  /** A numeric given in hundredths, 0 or more. */
  hundredths(value: number): this {
    const digits: number[] = [];
    for (let whole = Math.floor(value / 100); whole > 0; whole = Math.floor(whole / 10_000))
      digits.unshift(whole % 10_000);
    const weight = digits.length - 1;
    digits.push((value % 100) * 100);
    this.#length(8 + 2 * digits.length);
    for (const part of [digits.length, weight, 0, 2, ...digits]) this.#int16(part);
    return this;
  }

  null(): this {
    return this.#length(-1);
  }

  /** Begins a row of so many fields; returns the position to which `reset` can undo it. */
  begin(fields: number): number {
    const start = this.#end;
    this.#int16(fields);
    return start;
  }

  reset(end: number): void {
    this.#end = end;
  }

  header(): void {
    this.#end += Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1').copy(this.#bytes, this.#end);
    this.#int32(0).#int32(0);
  }

  trailer(): void {
    this.#int16(-1);
  }

  get full(): boolean {
    return this.#end >= CHUNK_BYTES;
  }

  /** Returns the bytes written since the last call; valid until the next field. */
  take(): Buffer {
    const chunk = this.#bytes.subarray(0, this.#end);
    this.#end = 0;
    return chunk;
  }

  #length(bytes: number): this {
    return this.#int32(bytes);
  }

  #int16(value: number): this {
    this.#view.setInt16(this.#end, value);
    this.#end += 2;
    return this;
  }

  #int32(value: number): this {
    this.#view.setInt32(this.#end, value);
    this.#end += 4;
    return this;
  }

  #int64(value: number): this {
    this.#view.setInt32(this.#end, Math.floor(value / 0x1_0000_0000));
    this.#view.setUint32(this.#end + 4, value >>> 0);
    this.#end += 8;
    return this;
  }

  /** A text after a version byte, where there is one. */
  #string(value: string, version: number): this {
    const [start, { length }] = [this.#end + 4, value];
    let end = start;
    if (version > 0) this.#bytes[end++] = version;
    let n = 0;
    if (length <= SHORT_CHARACTERS) {
      for (; n < length; n++) {
        const code = value.charCodeAt(n);
        if (code > 127) break;
        this.#bytes[end + n] = code;
      }
    }
    end += n === length ? length : this.#bytes.write(value, end, 'utf8');
    this.#view.setInt32(this.#end, end - start);
    this.#end = end;
    return this;
  }
}
