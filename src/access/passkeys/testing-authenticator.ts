import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

const PRESENT = 0x01;
const VERIFIED = 0x04;
const ATTESTED = 0x40;

interface Options {
  challenge: string;
  rpId?: string;
  rp?: { id: string };
  user?: { id: string };
}

/** Encodes the part of CBOR that an attestation needs. */
function bytesOf(value: Buffer): Buffer {
  const { length } = value;
  return Buffer.concat([
    length < 256 ? Buffer.from([0x58, length]) : Buffer.from([0x59, length >> 8, length & 255]),
    value,
  ]);
}
const text = (value: string): Buffer => Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)]);

/** A software device with one passkey that acts as the browser and its authenticator. */
export function createTestAuthenticator(origin: string) {
  const credentialId = randomBytes(32);
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const state = { counter: 0, userHandle: '' };

  function coseKey(key: KeyObject): Buffer {
    const { x = '', y = '' } = key.export({ format: 'jwk' });
    const head = Buffer.from([0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21]);
    return Buffer.concat([
      head,
      bytesOf(Buffer.from(x, 'base64url')),
      Buffer.from([0x22]),
      bytesOf(Buffer.from(y, 'base64url')),
    ]);
  }

  function authData(rpId: string, flags: number): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(++state.counter);
    return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([flags]), counter]);
  }

  const clientData = (type: string, challenge: string): Buffer =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));

  const credential = (response: object) => ({
    id: credentialId.toString('base64url'),
    rawId: credentialId.toString('base64url'),
    type: 'public-key',
    clientExtensionResults: {},
    response,
  });

  return {
    state,
    create({ challenge, rp, user }: Options) {
      state.userHandle = user!.id;
      const data = Buffer.concat([
        ...[authData(rp!.id, PRESENT | VERIFIED | ATTESTED), Buffer.alloc(16), Buffer.from([0, credentialId.length])],
        ...[credentialId, coseKey(publicKey)],
      ]);
      const attestation = [
        text('fmt'),
        text('none'),
        text('attStmt'),
        Buffer.from([0xa0]),
        text('authData'),
        bytesOf(data),
      ];
      return credential({
        clientDataJSON: clientData('webauthn.create', challenge).toString('base64url'),
        attestationObject: Buffer.concat([Buffer.from([0xa3]), ...attestation]).toString('base64url'),
        transports: ['internal'],
      });
    },
    use({ challenge, rpId }: Options, { verified = true, key = privateKey, site = rpId! } = {}) {
      const data = authData(site, verified ? PRESENT | VERIFIED : PRESENT);
      const client = clientData('webauthn.get', challenge);
      const signed = Buffer.concat([data, createHash('sha256').update(client).digest()]);
      return credential({
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: sign('sha256', signed, key).toString('base64url'),
        userHandle: state.userHandle,
      });
    },
  };
}
