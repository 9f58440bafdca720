import { type KeyObject, sign } from 'node:crypto';

/** A certificate for a key pair of RSA as SNS publishes them, in PEM. Node reads certificates and makes none. */
export function selfSigned({ publicKey, privateKey }: { publicKey: KeyObject; privateKey: KeyObject }): string {
  const algorithm = der(0x30, Buffer.from('06092a864886f70d01010b0500', 'hex'));
  const name = der(0x30, der(0x31, der(0x30, Buffer.from('0603550403', 'hex'), der(0x0c, Buffer.from('sns')))));
  const time = (text: string): Buffer => der(0x17, Buffer.from(text));
  const inner = der(
    0x30,
    Buffer.from('020101', 'hex'),
    algorithm,
    name,
    der(0x30, time('200101000000Z'), time('490101000000Z')),
    name,
    publicKey.export({ format: 'der', type: 'spki' }),
  );
  const bits = Buffer.concat([Buffer.from([0]), sign('sha256', inner, privateKey)]);
  const whole = der(0x30, inner, algorithm, der(0x03, bits)).toString('base64');
  return `-----BEGIN CERTIFICATE-----\n${whole.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const size = content.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}
