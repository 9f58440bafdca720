import DKIM from 'nodemailer/lib/dkim';

/** An RSA private key in PEM, published at `selector._domainkey.domain`. */
export interface DkimKey {
  domain: string;
  selector: string;
  privateKey: string;
}

/** RFC 8058 requires a signature that covers the one-click header and the List-Unsubscribe header with its address. */
const SIGNED_HEADERS =
  'from:to:reply-to:subject:date:message-id:mime-version:content-type:content-transfer-encoding:list-id:list-unsubscribe:list-unsubscribe-post';

export async function sign(message: Buffer, { domain, selector, privateKey }: DkimKey): Promise<Buffer> {
  const signer = new DKIM({ domainName: domain, keySelector: selector, privateKey, headerFieldNames: SIGNED_HEADERS });
  const signed = Buffer.concat(await signer.sign(message).toArray());
  // The library returns the message unsigned if the key is unusable.
  if (signed.length === message.length) throw new Error(`The DKIM key of ${domain} cannot sign`);
  return signed;
}
