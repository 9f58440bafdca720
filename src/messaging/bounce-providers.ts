import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import type { CompanyCache } from '../access/company-versions.ts';
import type { MasterKey } from '../access/master-key.ts';
import { AppError } from '../errors.ts';
import type { RawRequest } from '../http/endpoint.ts';
import type { SafeFetch } from '../outbox/safe-fetch.ts';
import type { BounceProvider } from './bounce-settings.ts';
import { type Genuine, readSendGridKey, verifyMailgun, verifyPostmark, verifySendGrid } from './bounce-signatures.ts';
import { type GenuineSns, keyOfCertificate, topicOf, verifySns } from './bounce-sns.ts';
import { LruCache } from './lru.ts';
import type { SendingCompany } from './settings.ts';

export interface BounceProviders {
  /**
   * What a notification of the company's provider is known by, or null where the provider did not send it. Without
   * `mayAsk` no certificate is fetched for it. Throws where one could not be fetched.
   */
  authenticate(
    provider: BounceProvider,
    companyId: number,
    request: RawRequest,
    asked: { now: Date; mayAsk: boolean },
  ): Promise<Genuine | GenuineSns | null>;
  /** Tells SNS that the subscription is wanted. Throws where it does not take that. */
  confirm(address: string): Promise<void>;
}

export function createBounceProviders(deps: {
  companies: CompanyCache<SendingCompany>;
  masterKey: MasterKey;
  safeFetch: SafeFetch;
}): BounceProviders {
  const { companies, masterKey, safeFetch } = deps;
  const certificates = new LruCache<KeyObject>(50, 100_000);
  /** With these the same is worked out for companies that do not exist or have not set the provider. */
  const nobody = {
    sendgrid: generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).publicKey,
    text: randomBytes(24).toString('base64url'),
  };
  const open = (sealed: string | undefined): string | null =>
    sealed === undefined ? null : masterKey.open(Buffer.from(sealed, 'base64'));

  async function companyOf(companyId: number): Promise<SendingCompany | null> {
    try {
      return await companies.get(companyId);
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return null;
      throw error;
    }
  }

  async function certificateAt(url: string, mayAsk: boolean): Promise<KeyObject | null> {
    const known = certificates.get(url);
    if (known !== undefined || !mayAsk) return known ?? null;
    const { status, body } = await safeFetch.fetch({ url, method: 'GET', headers: {} });
    if (status >= 500) throw new Error(`${url} answered ${status}`);
    const key = status === 200 && body !== null ? keyOfCertificate(body) : null;
    if (key !== null) certificates.set(url, key);
    return key;
  }

  return {
    async authenticate(provider, companyId, request, { now, mayAsk }) {
      const company = await companyOf(companyId);
      if (provider === 'ses') {
        const topic = topicOf(company?.bounces_ses?.topic_arn ?? '');
        return topic && verifySns(topic, request.body, now, (url) => certificateAt(url, mayAsk));
      }
      if (provider === 'sendgrid') {
        const key = company?.bounces_sendgrid ? readSendGridKey(company.bounces_sendgrid.public_key) : null;
        const genuine = verifySendGrid(key ?? nobody.sendgrid, request, now);
        return key && genuine;
      }
      const secret = open(company?.[`bounces_${provider}`]?.sealed);
      const used = secret ?? nobody.text;
      const genuine = provider === 'mailgun' ? verifyMailgun(used, request.body, now) : verifyPostmark(used, request);
      return secret === null ? null : genuine;
    },
    async confirm(url) {
      const { status } = await safeFetch.fetch({ url, method: 'GET', headers: {} });
      if (status !== 200) throw new Error(`The subscription could not be confirmed: ${status}`);
    },
  };
}
