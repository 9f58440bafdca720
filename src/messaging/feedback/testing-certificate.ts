import { type KeyObject, sign } from 'node:crypto';

/** For tests: Node can parse certificates but not create them. */

interface Keys {
  publicKey: KeyObject;
  privateKey: KeyObject;
}

export interface CertificateOf {
  keys: Keys;
  name?: string;
  /** The signer; absent for a self-signed certificate. */
  issuer?: { name: string; keys: Keys };
  ca?: boolean;
  hosts?: string[];
  /** URL of the issuer's certificate. */
  issuerAt?: string;
  from?: Date;
  until?: Date;
}

/** Creates a certificate for an RSA key pair, in PEM. */
export function certificateOf(wanted: CertificateOf): string {
  const { keys, name = 'sns', issuer = { name, keys } } = wanted;
  const algorithm = der(0x30, oid('2a864886f70d01010b'), Buffer.from('0500', 'hex'));
  const { from = new Date('2020-01-01T00:00:00Z'), until = new Date('2049-01-01T00:00:00Z') } = wanted;
  const inner = der(
    0x30,
    Buffer.from('a003020102', 'hex'),
    Buffer.from('020101', 'hex'),
    algorithm,
    nameOf(issuer.name),
    der(0x30, timeOf(from), timeOf(until)),
    nameOf(name),
    keys.publicKey.export({ format: 'der', type: 'spki' }),
    der(0xa3, der(0x30, ...extensionsOf(wanted))),
  );
  const bits = Buffer.concat([Buffer.from([0]), sign('sha256', inner, issuer.keys.privateKey)]);
  const whole = der(0x30, inner, algorithm, der(0x03, bits)).toString('base64');
  return `-----BEGIN CERTIFICATE-----\n${whole.match(/.{1,64}/g)!.join('\n')}\n-----END CERTIFICATE-----\n`;
}

/** DER, the form served at issuer URLs. */
export function derOf(pem: string): Buffer {
  return Buffer.from(pem.replace(/-----[A-Z ]+-----/g, ''), 'base64');
}

function extensionsOf({ ca = false, hosts = [], issuerAt }: CertificateOf): Buffer[] {
  const truth = Buffer.from('0101ff', 'hex');
  const extensions = [der(0x30, oid('551d13'), truth, der(0x04, der(0x30, ...(ca ? [truth] : []))))];
  if (hosts.length > 0) {
    const names = der(0x30, ...hosts.map((host) => der(0x82, Buffer.from(host))));
    extensions.push(der(0x30, oid('551d11'), der(0x04, names)));
  }
  if (issuerAt !== undefined) {
    const access = der(0x30, der(0x30, oid('2b06010505073002'), der(0x86, Buffer.from(issuerAt))));
    extensions.push(der(0x30, oid('2b06010505070101'), der(0x04, access)));
  }
  return extensions;
}

function nameOf(text: string): Buffer {
  return der(0x30, der(0x31, der(0x30, oid('550403'), der(0x0c, Buffer.from(text)))));
}

function timeOf(moment: Date): Buffer {
  return der(0x17, Buffer.from(`${moment.toISOString().replace(/\D/g, '').slice(2, 14)}Z`));
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'));
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const size = content.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}
