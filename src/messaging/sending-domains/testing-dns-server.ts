import { createSocket, type RemoteInfo } from 'node:dgram';

/** For tests: a DNS server for TXT and CNAME records on UDP. */
export interface TestDns {
  /** `127.0.0.1:port` */
  address: string;
  /** TXT records by lower-case name; `broken` replies SERVFAIL, `silent` does not reply. Absent names do not exist. */
  zone: Map<string, string[] | 'broken' | 'silent'>;
  /** CNAME targets by lower-case name. */
  aliases: Map<string, string>;
  /** Names queried. */
  asked: string[];
  close(): Promise<void>;
}

const HEADER = 12;
const SERVFAIL = 2;
const NXDOMAIN = 3;
const TYPE_CNAME = 5;
const TYPE_TXT = 16;

export async function startTestDns(): Promise<TestDns> {
  const socket = createSocket('udp4');
  const zone: TestDns['zone'] = new Map();
  const aliases: TestDns['aliases'] = new Map();
  const asked: string[] = [];
  socket.on('message', (query: Buffer, from: RemoteInfo) => {
    const { name, end } = nameIn(query);
    asked.push(name);
    const records = zone.get(name);
    if (records === 'silent') return;
    if (records === 'broken' || query.readUInt16BE(end - 4) === TYPE_TXT) {
      const found = records ?? (aliases.has(name) ? [] : undefined);
      const replies = Array.isArray(found) ? found.map((text) => recordOf(TYPE_TXT, textData(text))) : found;
      socket.send(responseTo(query, end, replies), from.port, from.address);
    } else {
      const target = aliases.get(name);
      const replies = target === undefined ? records && [] : [recordOf(TYPE_CNAME, nameData(target))];
      socket.send(responseTo(query, end, replies), from.port, from.address);
    }
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    zone,
    aliases,
    asked,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

/** Parses the queried name; `end` is where its type and class end. */
function nameIn(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = HEADER;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 5 };
}

function responseTo(query: Buffer, end: number, records: Buffer[] | 'broken' | undefined): Buffer {
  const code = records === 'broken' ? SERVFAIL : records === undefined ? NXDOMAIN : 0;
  const replies = Array.isArray(records) ? records : [];
  const header = Buffer.alloc(HEADER);
  query.copy(header, 0, 0, 2);
  // A response with recursion desired and available.
  header.writeUInt16BE(0x8180 | code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(replies.length, 6);
  return Buffer.concat([header, query.subarray(HEADER, end), ...replies]);
}

/** Encodes the text of a TXT record in strings of at most 255 bytes. */
function textData(text: string): Buffer {
  const bytes = Buffer.from(text);
  const strings: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 255) {
    const part = bytes.subarray(at, at + 255);
    strings.push(Buffer.from([part.length]), part);
  }
  return Buffer.concat(strings);
}

function nameData(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]));
  return Buffer.concat([...labels, Buffer.from([0])]);
}

function recordOf(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(12);
  // The queried name, the type, IN, 60 seconds.
  head.writeUInt16BE(0xc000 | HEADER, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(60, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}
