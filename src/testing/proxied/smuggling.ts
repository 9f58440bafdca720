/** Requests in which two HTTP parsers may disagree about the end or the host, and bytes that some parsers let through. */

export interface Vector {
  name: string;
  bytes: Buffer;
  /** The name of the product that is created only if a parser was misled. */
  smuggled: string;
  /** Whether even a single parser must refuse it, because it can be parsed in two contradictory ways. */
  refused: boolean;
}

export interface Sender {
  host: string;
  key: string;
}

/** Returns a request that creates a product of this name: the one that must never be executed. */
export function makeProduct({ host, key }: Sender, name: string): string {
  const body = JSON.stringify({ name, price: 100 });
  return `${headOf({ host, key })}Content-Length: ${body.length}\r\n\r\n${body}`;
}

function headOf({ host, key }: Sender, line = 'POST /commerce/v1/products HTTP/1.1'): string {
  return `${line}\r\nHost: ${host}\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\n`;
}

/** Ways to write `Transfer-Encoding: chunked` that one parser accepts and another does not. */
const ENCODINGS: [string, string][] = [
  ['as it is', 'Transfer-Encoding: chunked\r\n'],
  ['after a tab', 'Transfer-Encoding:\tchunked\r\n'],
  ['before a tab', 'Transfer-Encoding: chunked\t\r\n'],
  ['after a vertical tab', 'Transfer-Encoding: \x0bchunked\r\n'],
  ['before a form feed', 'Transfer-Encoding: chunked\x0c\r\n'],
  ['before a null byte', 'Transfer-Encoding: chunked\0\r\n'],
  ['in capitals', 'TRANSFER-ENCODING: CHUNKED\r\n'],
  ['as xchunked', 'Transfer-Encoding: xchunked\r\n'],
  ['in quotes', 'Transfer-Encoding: "chunked"\r\n'],
  ['with a parameter', 'Transfer-Encoding: chunked;q=1\r\n'],
  ['before identity', 'Transfer-Encoding: chunked, identity\r\n'],
  ['after identity', 'Transfer-Encoding: identity, chunked\r\n'],
  ['twice in a list', 'Transfer-Encoding: chunked, chunked\r\n'],
  ['empty', 'Transfer-Encoding:\r\n'],
  ['in two headers', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n'],
  ['in two headers, the second', 'Transfer-Encoding: cow\r\nTransfer-Encoding: chunked\r\n'],
  ['with a space before the colon', 'Transfer-Encoding : chunked\r\n'],
  ['with a tab before the colon', 'Transfer-Encoding\t: chunked\r\n'],
  ['with a null byte before the colon', 'Transfer-Encoding\0: chunked\r\n'],
  ['with a non-breaking space before the colon', 'Transfer-Encoding\xa0: chunked\r\n'],
  ['folded', 'Transfer-Encoding:\r\n chunked\r\n'],
  ['behind a bare carriage return', 'X-A: 1\rTransfer-Encoding: chunked\r\n'],
  ['behind a bare line feed', 'X-A: 1\nTransfer-Encoding: chunked\r\n'],
  ['behind a space', ' Transfer-Encoding: chunked\r\n'],
];

const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
const END = '0\r\n\r\n';

/** All vectors, each with a smuggled request of its own. */
export function vectors(sender: Sender, smuggledName: (vector: string) => string): Vector[] {
  const made: Vector[] = [];
  const add = (name: string, refused: boolean, write: (smuggled: string) => string): void => {
    const smuggled = smuggledName(name);
    made.push({ name, refused, smuggled, bytes: Buffer.from(write(makeProduct(sender, smuggled)), 'latin1') });
  };
  const head = headOf(sender);
  /** Hides it in a body whose length is in the header. */
  const sized = (name: string, refused: boolean, header: (length: number) => string): void =>
    add(name, refused, (smuggled) => `${head}${header(smuggled.length)}\r\n${smuggled}`);
  const chunked = (name: string, body: (smuggled: string) => string): void =>
    add(name, true, (smuggled) => `${head}Transfer-Encoding: chunked\r\n\r\n${body(smuggled)}`);

  for (const [how, header] of ENCODINGS) {
    add(`CL.TE, chunked ${how}`, true, (smuggled) => {
      const body = END + smuggled;
      return `${head}Content-Length: ${body.length}\r\n${header}\r\n${body}`;
    });
    add(`TE.CL, chunked ${how}`, true, (smuggled) => {
      const body = chunk(smuggled) + END;
      return `${head}Content-Length: ${body.indexOf('\n') + 1}\r\n${header}\r\n${body}`;
    });
  }
  add('CL.TE, the encoding first', true, (smuggled) => {
    const body = END + smuggled;
    return `${head}Transfer-Encoding: chunked\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  });
  add('Transfer_Encoding with an underscore', false, (smuggled) => {
    const body = END + smuggled;
    return `${head}Content-Length: ${body.length}\r\nTransfer_Encoding: chunked\r\n\r\n${body}`;
  });

  sized('two lengths, the second 0', true, (n) => `Content-Length: ${n}\r\nContent-Length: 0\r\n`);
  sized('two lengths, the first 0', true, (n) => `Content-Length: 0\r\nContent-Length: ${n}\r\n`);
  sized('two lengths in a list', true, (n) => `Content-Length: ${n}, 0\r\n`);
  sized('a length with a plus', true, (n) => `Content-Length: +${n}\r\n`);
  sized('a length with a minus', true, (n) => `Content-Length: -${n}\r\n`);
  sized('a length with a space inside', true, (n) => `Content-Length: 0 ${n}\r\n`);
  sized('a length with a vertical tab', true, (n) => `Content-Length: \x0b${n}\r\n`);
  sized('a length in hexadecimal', true, (n) => `Content-Length: 0x${n.toString(16)}\r\n`);
  sized('a length with a fraction', true, (n) => `Content-Length: ${n}.0\r\n`);
  sized('a length with an exponent', true, (n) => `Content-Length: ${n}e0\r\n`);
  sized('a length beyond 2^64', true, (n) => `Content-Length: ${2n ** 64n + BigInt(n)}\r\n`);
  sized('an empty length', true, () => 'Content-Length:\r\n');
  sized('a space before the colon of the length', true, (n) => `Content-Length : ${n}\r\n`);
  sized('a folded length', true, (n) => `Content-Length:\r\n ${n}\r\n`);
  sized('a length behind a bare line feed', true, (n) => `X-A: 1\nContent-Length: ${n}\r\n`);
  sized('a length behind a bare carriage return', true, (n) => `X-A: 1\rContent-Length: ${n}\r\n`);
  sized('Content_Length with an underscore', false, (n) => `Content-Length: ${n}\r\nContent_Length: 0\r\n`);
  sized('Connection: content-length', false, (n) => `Connection: content-length\r\nContent-Length: ${n}\r\n`);
  sized('Expect: 100-continue', false, (n) => `Expect: 100-continue\r\nContent-Length: ${n}\r\n`);
  sized('an unknown expectation', false, (n) => `Expect: 200-ok\r\nContent-Length: ${n}\r\n`);
  sized('headers beyond 16 KiB', true, (n) => `X-A: ${'a'.repeat(20_000)}\r\nContent-Length: ${n}\r\n`);
  sized('headers beyond 128 KiB', true, (n) => `X-A: ${'a'.repeat(140_000)}\r\nContent-Length: ${n}\r\n`);

  add('Connection: transfer-encoding', false, (smuggled) => {
    return `${head}Connection: transfer-encoding\r\nTransfer-Encoding: chunked\r\n\r\n${chunk(smuggled)}${END}`;
  });
  add('HTTP/1.0 with chunks', true, (smuggled) => {
    const old = headOf(sender, 'POST /commerce/v1/products HTTP/1.0');
    return `${old}Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n${END}${smuggled}`;
  });
  chunked('a line feed in a chunk extension', (smuggled) => {
    const rest = END + smuggled;
    const size = rest.length.toString(16);
    return `${size.length};\n${'x'.repeat(size.length)}\r\n${size}\r\n${rest}\r\n${END}`;
  });
  chunked('a carriage return in a chunk extension', (smuggled) => {
    const rest = END + smuggled;
    const size = rest.length.toString(16);
    return `${size.length};\r${'x'.repeat(size.length)}\r\n${size}\r\n${rest}\r\n${END}`;
  });
  chunked('a chunk size ended by a line feed', (smuggled) => `2\n{}\r\n${END}${smuggled}`);
  chunked('a chunk ended by a line feed', (smuggled) => `2\r\n{}\n${END}${smuggled}`);
  chunked('a chunk longer than it says', (smuggled) => `2\r\n{}xx${END}${smuggled}`);
  chunked('a chunk size beyond 2^64', (smuggled) => `${(2n ** 64n + 2n).toString(16)}\r\n{}\r\n${END}${smuggled}`);
  add('a chunk size beyond 2^32', false, (smuggled) => {
    const size = (2n ** 32n + 2n).toString(16);
    return `${head}Transfer-Encoding: chunked\r\n\r\n${size}\r\n{}\r\n${END}${smuggled}`;
  });
  chunked('a chunk size with 0x', (smuggled) => `0x2\r\n{}\r\n${END}${smuggled}`);
  chunked('a chunk size with a plus', (smuggled) => `+2\r\n{}\r\n${END}${smuggled}`);
  chunked('a chunk size with a minus', (smuggled) => `-2\r\n{}\r\n${END}${smuggled}`);
  chunked('a chunk size with an underscore', (smuggled) => `0_2\r\n{}\r\n${END}${smuggled}`);
  chunked('a last chunk ended by line feeds', (smuggled) => `2\r\n{}\r\n0\n\n${smuggled}`);

  for (const [how, line] of [
    ['a null byte', 'POST /commerce/v1/products\0 HTTP/1.1'],
    ['a bare carriage return', 'POST /commerce/v1/products\r HTTP/1.1'],
    ['a bare line feed', 'POST /commerce/v1/products\n HTTP/1.1'],
    ['a space', 'POST /commerce/v1/products x HTTP/1.1'],
    ['no version', 'POST /commerce/v1/products'],
    ['version 0.9', 'POST /commerce/v1/products HTTP/0.9'],
    ['version 2.0', 'POST /commerce/v1/products HTTP/2.0'],
    ['another protocol', 'POST /commerce/v1/products HTCPCP/1.1'],
    ['no slash', 'POST commerce/v1/products HTTP/1.1'],
    ['another host in absolute form', 'POST http://evil.example/commerce/v1/products HTTP/1.1'],
    ['userinfo in absolute form', `POST http://${sender.host}@evil.example/commerce/v1/products HTTP/1.1`],
    ['an authority', `POST ${sender.host}:443 HTTP/1.1`],
  ] as const) {
    add(`a request line with ${how}`, false, (smuggled) => smuggled.replace(/^.*?(?=\r\nHost)/s, line));
  }
  for (const [how, host] of [
    ['another host', 'evil.example'],
    ['userinfo', `user@${sender.host}`],
    ['another host behind userinfo', `${sender.host}@evil.example`],
    ['a port and another host', `${sender.host}:80@evil.example`],
    ['two hosts in a list', `${sender.host}, evil.example`],
    ['a second line', `${sender.host}\r\nHost: evil.example`],
    ['a second, equal line', `${sender.host}\r\nHost: ${sender.host}`],
    ['a folded line', `${sender.host}\r\n evil.example`],
    ['a path', `${sender.host}/x`],
    ['nothing', ''],
  ]) {
    add(`a Host header with ${how}`, false, (smuggled) => smuggled.replace(/Host: .*/, () => `Host: ${host}`));
  }
  add('no Host header', false, (smuggled) => smuggled.replace(/Host: .*\r\n/, ''));
  add('HTTP/0.9, then a request', false, (smuggled) => `GET /\r\n${smuggled}`);
  add('line breaks encoded in a path', false, (smuggled) => {
    const path = encodeURIComponent(` HTTP/1.1\r\nHost: ${sender.host}\r\n\r\n${smuggled}`);
    return headOf(sender, `GET /commerce/v1/products/${path} HTTP/1.1`).concat('\r\n');
  });
  for (const line of ['GET /commerce/v1/products HTTP/1.1', 'DELETE /nowhere HTTP/1.1', 'POST /nowhere HTTP/1.1']) {
    add(`a body that nobody reads, of ${line}`, false, (smuggled) => {
      return `${headOf(sender, line)}Content-Length: ${smuggled.length}\r\n\r\n${smuggled}`;
    });
  }
  add('a body of a request without a key', false, (smuggled) => {
    return `${headOf({ ...sender, key: 'none' })}Content-Length: ${smuggled.length}\r\n\r\n${smuggled}`;
  });
  return made;
}
