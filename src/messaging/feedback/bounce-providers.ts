import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { CompanyCache } from '../../access/company-cache.ts';
import type { MasterKey } from '../../access/master-key.ts';
import { AppError } from '../../errors.ts';
import { createTextCache } from '../../lib/text-cache.ts';
import type { SafeFetch, SafeRequest } from '../../net/safe-fetch.ts';
import type { SendingCompany } from '../settings/settings.ts';
import type { BounceProvider } from './bounce-settings.ts';
import { followToRoot, type Known, nodesRoots, type Trusted } from './certificates.ts';
import { type Genuine, readSendGridKey, verifyMailgun, verifyPostmark, verifySendGrid } from './signatures.ts';
import { type GenuineSns, type Topic, topicOf, verifySns } from './sns.ts';

/** A request as received. */
interface Notification {
  /** Path and query, as requested. */
  url: string;
  body: Buffer;
  headers: IncomingHttpHeaders;
}

export interface BounceProviders {
  /**
   * Returns the key that identifies a notification of the company's provider, or null if the provider did not send it. Without `mayAsk`
   * nothing is looked up or fetched: only what is in memory is used. Throws if something could not be fetched.
   */
  authenticate(
    provider: BounceProvider,
    companyId: number,
    request: Notification,
    asked: { now: Date; mayAsk: boolean },
  ): Promise<Genuine | GenuineSns | null>;
  /** Confirms the subscription to SNS. Throws if SNS does not accept it. */
  confirm(address: string): Promise<void>;
}

export function createBounceProviders(deps: {
  companies: CompanyCache<SendingCompany>;
  masterKey: MasterKey;
  safeFetch: SafeFetch;
  /** The roots that SNS certificates chain to; Node's if absent. */
  roots?: Known['roots'];
}): BounceProviders {
  const { companies, masterKey, safeFetch, roots = nodesRoots } = deps;
  const certificates = createTextCache<Trusted>(50, 100_000);
  /** Used to do the same work for companies that do not exist or have not set the provider. */
  const nobody = {
    sendgrid: generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).publicKey,
    text: randomBytes(24).toString('base64url'),
  };
  const open = (sealed: string | undefined): string | null =>
    sealed === undefined ? null : masterKey.open(Buffer.from(sealed, 'base64'));

  async function companyOf(companyId: number, mayAsk: boolean): Promise<SendingCompany | null> {
    if (!mayAsk) return companies.peek(companyId) ?? null;
    try {
      return await companies.get(companyId);
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return null;
      throw error;
    }
  }

  /** Returns the key of the SNS certificate; null if the certificate cannot belong to SNS. */
  async function keyAt(url: string, topic: Topic, { now, mayAsk }: { now: Date; mayAsk: boolean }) {
    const known = certificates.get(url);
    if (known !== undefined && now <= known.until) return known.key;
    if (!mayAsk) return null;
    const pem = await fetched({ url });
    const trusted = pem === null ? null : await followToRoot(pem, topic.signers, now, { roots, issuerAt });
    if (trusted !== null) certificates.set(url, trusted);
    return trusted?.key ?? null;
  }

  /** Certification authorities publish their certificates over plain HTTP; the signature proves that one is theirs. */
  async function issuerAt(url: string): Promise<Buffer | null> {
    const text = await fetched({ url, plain: true, encoding: 'latin1' });
    return text === null ? null : Buffer.from(text, 'latin1');
  }

  /** Returns null if there is nothing. Throws if a retry may succeed. */
  async function fetched(asked: Pick<SafeRequest, 'url' | 'plain' | 'encoding'>): Promise<string | null> {
    const { status, body } = await safeFetch.fetch({ ...asked, method: 'GET', headers: {} });
    if (status >= 500) throw new Error(`${asked.url} responded with ${status}`);
    return status === 200 ? body : null;
  }

  return {
    async authenticate(provider, companyId, request, { now, mayAsk }) {
      const company = await companyOf(companyId, mayAsk);
      if (provider === 'ses') {
        const topic = topicOf(company?.bounces_ses?.topic_arn ?? '');
        return topic && verifySns(topic, request.body, now, (url) => keyAt(url, topic, { now, mayAsk }));
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
